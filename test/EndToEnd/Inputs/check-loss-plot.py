"""check-loss-plot.py FILE.svg STEPS: the curves of a plot lie inside of it, and reach its last step."""
import re, sys
import xml.etree.ElementTree as xml

root = xml.parse(sys.argv[1]).getroot()
lines = [[tuple(map(float, point.split(","))) for point in line.get("points").split()] for line in root.iter()
         if line.tag.endswith("polyline")]
labels = [text.text for text in root.iter() if text.tag.endswith("text")]
assert sys.argv[2] in labels, labels
for line in lines:
    assert line == sorted(line) and all(60 <= x <= 780 for x, _ in line), line
assert all(20 <= y <= 361 for line in lines[1:] for _, y in line), lines
print(sum(line[-1][0] == 780 for line in lines), "curves end at the right edge")
