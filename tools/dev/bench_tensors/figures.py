"""Reads the lines that the programs beside this file, and their peers, print."""
import re


def times(text):
    """{name: microseconds} of the lines `name: N us`; a peer's name is `name | peer`.

    >>> times("softmax 4x4: 10.50 us\\n  largest relative error 1.0e-06\\nsoftmax 4x4 | PyTorch: 11.00 us\\n")
    {'softmax 4x4': 10.5, 'softmax 4x4 | PyTorch': 11.0}
    """
    return {name: float(value) for name, value in re.findall(r"^(\S.*?): ([\d.]+) us$", text, re.M)}


def least(texts):
    """The least of each name's times in several outputs."""
    all_ = {}
    for text in texts:
        for name, value in times(text).items():
            all_[name] = min(value, all_.get(name, value))
    return all_


def peers(all_times, name):
    """{peer: microseconds} of one name.

    >>> peers({"a | cuBLAS": 1.0, "b | cuBLAS": 2.0}, "a")
    {'cuBLAS': 1.0}
    """
    return {key.split(" | ")[1]: value for key, value in all_times.items() if key.startswith(name + " | ")}


def errors(text):
    """The errors that an output states, of the lines `  largest [relative] error E`.

    >>> errors("softmax 4x4: 10.50 us\\n  largest relative error 1.0e-06\\n")
    [1e-06]
    """
    return [float(value) for value in re.findall(r"^  largest (?:relative )?error (\S+)$", text, re.M)]
