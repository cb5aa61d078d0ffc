from .child import Child as Child
from .frames import read_frame as read_frame
from .frames import read_object as read_object
from .frames import write_frame as write_frame
from .frames import write_object as write_object
from .parent import connect_to_parent as connect_to_parent
from .watching import Pulse as Pulse
from .watching import Watch as Watch
