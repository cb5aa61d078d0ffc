from .base import BenchQuestion as BenchQuestion
from .base import Collection as Collection
from .base import DataSet as DataSet
from .base import TableKeys as TableKeys
from .base import read_json_lines as read_json_lines
from .base import sample_questions as sample_questions
from .by_name import data_set as data_set
from .by_name import data_sets as data_sets
