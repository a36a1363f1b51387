// onnxruntime.js: runs ONNX files with onnxruntime, a line of JSON a job (judge_export.py).
//
//     node judge/onnxruntime.js FOLDER      FOLDER/node_modules has onnxruntime-node
//
// A job is {"model": PATH, "feeds": [[NAME, TYPE, DIMS, DATA], ...]}, its answer [[NAME, DIMS, DATA], ...], or {"error": TEXT}.
// A model stays loaded while jobs name it. Numbers that JSON has not are null.
const path = require("path"), readline = require("readline");
const ort = require(path.resolve(process.argv[2], "node_modules", "onnxruntime-node"));
const kinds = {int64: d => BigInt64Array.from(d, BigInt), float32: d => Float32Array.from(d), float64: d => Float64Array.from(d)};

async function main() {
  let loaded = null, session = null;
  for await (const line of readline.createInterface({input: process.stdin})) {
    const job = JSON.parse(line);
    try {
      if (loaded !== job.model) {
        if (session) await session.release();
        session = null, loaded = job.model;
        session = await ort.InferenceSession.create(job.model, {intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3});
      }
      const feeds = {};
      for (const [name, type, dims, data] of job.feeds)
        feeds[name] = new ort.Tensor(type, kinds[type](data), dims);
      const out = await session.run(feeds);
      const answer = Object.keys(out).map(name => [name, out[name].dims, Array.from(out[name].data, Number)]);
      console.log(JSON.stringify(answer));
    } catch (e) {
      console.log(JSON.stringify({error: String(e.message || e)}));
    }
  }
}
main();
