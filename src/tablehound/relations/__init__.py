"""How tables relate: unionability, joinability, the relationship graph, inference of missing metadata."""
