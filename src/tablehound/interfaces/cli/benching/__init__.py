"""The commands of ``tablehound bench``."""
