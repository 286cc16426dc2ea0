// `npm run dev`: builds a source file as soon as it changes, restarts the processes that load the file, and reloads
// open pages. A proxy serves the pages, and waits while a gateway restarts.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, rmSync, watch } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SupervisedProcess } from './processes/supervise-process.ts'
import { projectDirectory } from './tools/folders.ts'
import { print } from './tools/terminal.ts'

// How long to wait after a change, because editors write a file in several steps, and several files at once.
const CHANGE_SETTLE_MS = 50
const RETRY_AFTER_MS = 20
const SCRIPTS_FOLDER = 'gateway/web/browser'
const RELOAD_PATH = '/dev/reload.js'
const KIT_PATH = '/dashboard/kit'
const RELOAD_TAG = `<script src="${RELOAD_PATH}" async></script>`

// Options for compiling one file without its imports. All other options are the same as for the whole build.
const COMPILE_OPTIONS =
  '--ignoreConfig --noCheck --noResolve --isolatedModules --verbatimModuleSyntax --rewriteRelativeImportExtensions --allowImportingTsExtensions --sourceMap --target es2023 --module nodenext --rootDir . --outDir dist'

export function startDevelopment(
  ports: { port: number; gatewayPort: number },
  processes: SupervisedProcess[],
): void {
  const waiting = new Set<ServerResponse>()
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const apply = async () => {
    const files = [...changed]
    changed.clear()
    await buildFiles(files)
    const folders = new Set(files.map((file) => file.split('/')[0] ?? ''))
    const affected = processes.filter(
      ({ name }) => folders.has('shared') || folders.has(name === 'web' ? 'gateway' : 'workers'),
    )
    await Promise.all(affected.map((each) => each.restart()))
    print(`Restarted ${affected.map(({ name }) => name).join(', ')} after a change of ${files.join(', ')}.`)
    await waitForGateway(ports.gatewayPort)
    for (const response of waiting) response.end('location.reload()')
  }
  for (const folder of ['gateway', 'workers', 'shared'])
    watch(join(projectDirectory, folder), { recursive: true }, (_event, name) => {
      if (!name || !/\.(ts|js|css|json|svg)$/.test(name)) return
      changed.add(join(folder, name))
      clearTimeout(timer)
      timer = setTimeout(() => void apply().catch((error: Error) => print(error.message)), CHANGE_SETTLE_MS)
    })

  createServer((incoming, response) => {
    if (incoming.url === KIT_PATH) return void showComponents(response)
    if (incoming.url !== RELOAD_PATH) return void proxyRequest(ports.gatewayPort, incoming, response)
    response.setHeader('Content-Type', 'text/javascript')
    waiting.add(response)
    response.once('close', () => waiting.delete(response))
  }).listen(ports.port, '127.0.0.1')
}

/** Shows every component of the pages, rendered from the sources at each request. */
function showComponents(response: ServerResponse): void {
  const parameters = ['--import=tsx', 'test/support/dashboard/print-kit.ts']
  execFile(process.execPath, parameters, { cwd: projectDirectory }, (error, stdout) => {
    response.setHeader('Content-Type', `text/${error ? 'plain' : 'html'}; charset=utf-8`)
    response.end(error ? error.message : stdout + RELOAD_TAG)
  })
}

async function buildFiles(files: string[]): Promise<void> {
  const target = (file: string) => join(projectDirectory, 'dist', file.replace(/\.ts$/, '.js'))
  const [present, gone] = [true, false].map((isThere) =>
    files.filter((file) => existsSync(join(projectDirectory, file)) === isThere),
  ) as [string[], string[]]
  for (const file of gone) rmSync(target(file), { force: true })
  const sources = present.filter((file) => file.endsWith('.ts') && !file.startsWith(`${SCRIPTS_FOLDER}/`))
  for (const file of present.filter((name) => !name.endsWith('.ts'))) cpSync(file, target(file))
  if (files.some((file) => file.startsWith('gateway/web/admin/'))) await bundleAssets()
  if (sources.length === 0) return
  const compiler = createRequire(import.meta.url).resolve('typescript/package.json')
  const parameters = [join(dirname(compiler), 'bin/tsc'), ...COMPILE_OPTIONS.split(' '), ...sources]
  await new Promise<void>((resolve, reject) => {
    execFile(process.execPath, parameters, { cwd: projectDirectory }, (error, stdout) =>
      error ? reject(new Error(stdout || error.message)) : resolve(),
    )
  })
}

// Bundles the scripts again, because they share code with the pages.
async function bundleAssets(): Promise<void> {
  const dist = join(projectDirectory, 'dist')
  const bundler = await import(join(dist, 'gateway/web/pages/page/bundle-assets.js'))
  bundler.bundleAssets(join(projectDirectory, SCRIPTS_FOLDER), join(dist, SCRIPTS_FOLDER), { write: true })
}

async function proxyRequest(
  gatewayPort: number,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url: path = '/', method, headers } = incoming
  await waitForGateway(gatewayPort)
  // Requests an uncompressed page, so that the script tag can be added to it.
  const plain = { ...headers, 'accept-encoding': 'identity' }
  const outgoing = request({ host: '127.0.0.1', port: gatewayPort, path, method, headers: plain })
  outgoing.once('error', () => response.destroy())
  response.once('close', () => outgoing.destroy())
  outgoing.once('response', (answer) => {
    const isPage = path.startsWith('/dashboard') && answer.headers['content-type']?.startsWith('text/html')
    if (isPage) delete answer.headers['content-length']
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    if (isPage) answer.once('end', () => response.end(RELOAD_TAG))
    answer.pipe(response, { end: !isPage })
  })
  incoming.pipe(outgoing)
}

async function waitForGateway(port: number): Promise<void> {
  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
    })
  while (!(await isListening())) await sleep(RETRY_AFTER_MS)
}
