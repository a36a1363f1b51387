#!/bin/sh
# onnxruntime.sh: sees to onnxruntime for node, in a folder of its own.
#
#     judge/onnxruntime.sh FOLDER      FOLDER/node_modules/onnxruntime-node is there afterwards, or exit 2 and a line
#
# The package of npm has the library for processors in it; its install script would fetch the one for graphics cards from elsewhere.
set -u
folder=${1:?a folder}
found() { node -e 'require(require("path").resolve(process.argv[1], "node_modules", "onnxruntime-node"))' "$folder" 2>/dev/null; }
found && exit 0
mkdir -p "$folder" || exit 2
npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund onnxruntime-node@1.30.0 >"$folder/npm.log" 2>&1
found && exit 0
echo "onnxruntime.sh: npm could not install onnxruntime-node ($folder/npm.log)" >&2
exit 2
