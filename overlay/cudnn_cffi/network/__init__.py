"""Networks as files: plans, weights and the places of all results, run without a framework."""

from .contents import Contents as Contents
from .contents import read_contents as read_contents
from .loading import load_network as load_network
from .network import Network as Network
from .writing import write_network as write_network
