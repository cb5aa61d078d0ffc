"""A chat model as the backbone, over the OpenAI wire."""
