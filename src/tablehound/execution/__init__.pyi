from .checks import adds_up_rows as adds_up_rows
from .checks import check_result as check_result
from .gate import run_program as run_program
from .ground import Grounded as Grounded
from .ground import ground_value as ground_value
from .messages import without_cells as without_cells
from .written_numbers import fault_of as fault_of
from .written_numbers import own_numbers as own_numbers
