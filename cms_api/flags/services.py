"""Writes of features and settings, and signals to the listeners of features that are on.

Each write changes the `flags` version, so that every process sees it with its next request.
"""

from typing import Any

from django.db import transaction
from wagtail.log_actions import log

from cms_api.core import registry, versions
from cms_api.core.errors import Invalid, invalid_choice
from cms_api.core.module import SettingKey
from cms_api.core.time_zones import zone_names
from cms_api.core.vocabulary import FEATURES

from .models import Setting
from .selectors import VERSION, feature_key, features, get_setting, is_on, words

#: The length of the key column.
MAX_KEY = 150
#: Of a number, among them amounts in minor units: sums of many such fit a column.
LARGEST_NUMBER = 99_999_999_999


@transaction.atomic
def switch_feature(*, name: str, on: bool) -> list[str]:
    """Switch a feature; return its name, and those of others that are on or off with it now.

    Those that it requires are switched on, too. Those that require it are off while it is, and then as they were.
    """
    if name not in FEATURES:
        raise Invalid({"feature": invalid_choice("feature")})
    before = features()
    for each in _requirements(name) if on else [name]:
        Setting.objects.update_or_create(key=feature_key(each), defaults={"value": on})
    versions.bump(VERSION)
    after = features()
    return [name, *(each for each in registry.features() if each != name and after.get(each) != before.get(each))]


def _requirements(name: str) -> list[str]:
    module = registry.features().get(name)
    found = [name]
    for required in module.requires if module else ():
        found += [each for each in _requirements(required) if each not in found]
    return found


@transaction.atomic
def set_setting(*, key: str, value: Any, user: Any = None) -> None:
    """Set a declared key, or a feature's. Raises Invalid for an unknown key or a value of the wrong type.

    The audit log says who changed it, if `user` is given.
    """
    if key in {feature_key(name) for name in FEATURES}:
        if not isinstance(value, bool):
            raise Invalid({key: "The value must be true or false."})
        switch_feature(name=key.split(".")[1], on=value)
        return
    declared = registry.setting_key(key)
    if declared is None or key.endswith(".") or len(key) > MAX_KEY:
        raise Invalid({key: "There is no such setting."})
    _check(key, declared, value)
    if declared.is_list:
        value = "\n".join(words(value))
    before = get_setting(key)
    stored, _ = Setting.objects.update_or_create(key=key, defaults={"value": value})
    versions.bump(VERSION)
    if value != before:
        if user is not None:
            log(instance=stored, action=_action(value), user=user)
        notify(f"setting:{key}")


def _action(value: Any) -> str:
    if isinstance(value, bool):
        return "flags.switch_on" if value else "flags.switch_off"
    return "flags.change_setting"


def notify(signal: str, *arguments: Any) -> list[Any]:
    """Call the listeners of a signal in the caller's transaction, lowest module first; return their results.

    Listeners are skipped while their module's feature is off, unless declared `Always`.
    """
    return [registry.load(listener)(*arguments) for feature, listener in registry.listeners(signal) if is_on(feature)]


def _check(key: str, declared: SettingKey, value: Any) -> None:
    if type(value) is not declared.type:
        raise Invalid({key: f"The value must be of the type {declared.type.__name__}."})
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
        raise Invalid({key: f"The value may not be greater than {LARGEST_NUMBER:,}."})
    if isinstance(value, str) and ("\0" in value or value.encode("utf-8", "replace").decode() != value):
        raise Invalid({key: "The value contains characters that are not allowed."})
    if declared.choices and value not in declared.choices:
        raise Invalid({key: invalid_choice("value", declared.choices)})
    if declared.check:
        mistakes = map(registry.load(declared.check), words(value) if declared.is_list else [value])
        if found := list(filter(None, mistakes)):
            raise Invalid({key: found})


def timezone_mistake(name: str) -> str:
    return "" if name in zone_names() else "There is no such time zone."
