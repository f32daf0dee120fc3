# SPDX-License-Identifier: MIT
"""conf/kubernetes against the API's own types, as Debian's python3-kubernetes has them, and against what
the agent is promised there. Prints what is wrong; with --configuration the agent's own, and no more.
"""
import json
import re
import sys

import yaml
from kubernetes import client

CONF = "conf/kubernetes/"
SCALARS = {"str": str, "int": int, "bool": bool}


def fits(kind, value, where):
    """Every key is one of the type's, and every required one is there: yields what is wrong."""
    if value is None:
        return
    if many := re.fullmatch(r"list\[(.*)\]", kind):
        if not isinstance(value, list):
            yield f"{where}: not a list"
            return
        for i, item in enumerate(value):
            yield from fits(many[1], item, f"{where}[{i}]")
    elif many := re.fullmatch(r"dict\(str, (.*)\)", kind):
        if not isinstance(value, dict):
            yield f"{where}: not a map"
            return
        for key, item in value.items():
            yield from fits(many[1], item, f"{where}.{key}")
    elif kind == "object":  # a number or a string, as 10% and 8080
        if not isinstance(value, (int, str)):
            yield f"{where}: neither a number nor a text"
    elif kind in SCALARS:
        if type(value) is not SCALARS[kind]:
            yield f"{where}: not {kind}"
    else:
        yield from fits_model(getattr(client, kind), value, where)


def fits_model(model, value, where):
    if not isinstance(value, dict):
        yield f"{where}: not a map"
        return
    names = {key: name for name, key in model.attribute_map.items()}
    arguments = {}
    for key, item in value.items():
        if key not in names:
            yield f"{where}.{key}: no such field in {model.__name__}"
            continue
        arguments[names[key]] = item
        yield from fits(model.openapi_types[names[key]], item, f"{where}.{key}")
    try:
        model(**arguments)
    except ValueError as error:
        yield f"{where}: {error}"


def merged(base, patch):
    """A strategic merge: maps by key, null removes, and lists of named things by name."""
    if isinstance(patch, dict):
        result = dict(base or {})
        for key, item in patch.items():
            if item is None:
                result.pop(key, None)
            else:
                result[key] = merged(result.get(key), item)
        return result
    if isinstance(patch, list) and all(isinstance(item, dict) for item in patch):
        of_name = {item["name"]: item for item in base or []}
        for item in patch:
            of_name[item["name"]] = merged(of_name.get(item["name"]), item)
        return list(of_name.values())
    return patch


def promises(daemon_set):
    """What is wrong with the pod as such: yields texts."""
    template = daemon_set["spec"]["template"]
    pod = template["spec"]
    (container,) = pod["containers"]
    security = container["securityContext"]
    volumes = {volume["name"]: volume for volume in pod["volumes"]}
    mounts = {mount["name"]: mount for mount in container["volumeMounts"]}
    wanted = {
        "privileged": False,
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"], "add": ["DAC_OVERRIDE"]},
    }
    for key, value in wanted.items():
        if security.get(key) != value:
            yield f"securityContext.{key} is {security.get(key)}, not {value}"
    for key in "hostPID", "hostIPC", "hostNetwork":
        if pod.get(key):
            yield f"{key} is on"
    if daemon_set["spec"]["selector"]["matchLabels"] != template["metadata"]["labels"]:
        yield "the selector does not select the pods"
    if volumes.keys() != mounts.keys():
        yield f"volumes {sorted(volumes)} and mounts {sorted(mounts)} differ"
    paths = {name: volume["hostPath"]["path"] for name, volume in volumes.items() if "hostPath" in volume}
    if set(paths.values()) != {"/sys/fs/cgroup", "/sys/kernel/debug", "/run/fgreclaim"}:
        yield f"of the host it has {paths}"
    for name, path in paths.items():
        if mounts[name]["mountPath"] != "/host" + path:
            yield f"{path} is mounted at {mounts[name]['mountPath']}"
    if container["args"] != ["--root=/host"]:
        yield f"args are {container['args']}"
    if "cpu" in container["resources"]["limits"] or "memory" not in container["resources"]["limits"]:
        yield f"limits are {container['resources']['limits']}"


def profile_faults(profile):
    rules = profile["syscalls"]
    allowed = [name for rule in rules for name in rule["names"]]
    if profile["defaultAction"] != "SCMP_ACT_ERRNO" or profile["defaultErrnoRet"] != 1:
        yield "what is not listed is not refused with EPERM"
    if any(rule["action"] != "SCMP_ACT_ALLOW" for rule in rules):
        yield "a rule does not allow"
    if twice := {name for name in allowed if allowed.count(name) > 1}:
        yield f"twice: {sorted(twice)}"
    if missing := {"io_uring_setup", "io_uring_enter", "io_uring_register", "execve"} - set(allowed):
        yield f"not allowed: {sorted(missing)}"
    too_much = {"bpf", "mount", "ptrace", "kexec_load", "init_module", "setns", "unshare", "fork", "vfork"}
    if too_much & set(allowed):
        yield f"allowed: {sorted(too_much & set(allowed))}"


def main():
    with open(CONF + "fgreclaimd.yaml", encoding="utf-8") as file:
        objects = {item["kind"]: item for item in yaml.safe_load_all(file)}
    if sys.argv[1:] == ["--configuration"]:
        print(objects["ConfigMap"]["data"]["fgreclaimd.conf"], end="")
        return 0
    with open(CONF + "threads.yaml", encoding="utf-8") as file:
        patched = merged(objects["DaemonSet"], yaml.safe_load(file))
    with open(CONF + "fgreclaimd-seccomp.json", encoding="utf-8") as file:
        profile = json.load(file)
    faults = list(profile_faults(profile))
    for daemon_set in objects["DaemonSet"], patched:
        faults += fits("V1DaemonSet", daemon_set, "DaemonSet")
        faults += promises(daemon_set)
    faults += fits("V1Namespace", objects["Namespace"], "Namespace")
    faults += fits("V1ConfigMap", objects["ConfigMap"], "ConfigMap")

    def seccomp(daemon_set):
        (container,) = daemon_set["spec"]["template"]["spec"]["containers"]
        return container["securityContext"]["seccompProfile"]

    if seccomp(objects["DaemonSet"]) != {"type": "Localhost", "localhostProfile": "fgreclaimd-seccomp.json"}:
        faults.append(f"the profile is {seccomp(objects['DaemonSet'])}")
    if seccomp(patched) != {"type": "RuntimeDefault"}:
        faults.append(f"the patched profile is {seccomp(patched)}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


sys.exit(main())
