"""Gives the wheel the tag in pyproject.toml. hatchling itself gives no tag of a platform to a project without extension
modules."""
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version, build_data):
        build_data["pure_python"] = False
        build_data["tag"] = self.config["tag"]
