from .grid import Experiment as Experiment
from .grid import Row as Row
from .grid import experiments as experiments
from .results import PapersReport as PapersReport
from .results import papers_html as papers_html
from .results import papers_markdown as papers_markdown
from .running import run_papers as run_papers
