// Tests `npm start` as a user sees it: what it prints and stores, and how it stops and starts again.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { isAlive, sendSignal } from '../../local/tools/processes.ts'
import type { LocalRecord } from '../../local/tools/record.ts'
import { eventually, promised } from '../support/time.ts'
import { makeFolder, query, removeFolder } from './support/local.ts'
import {
  createLocalEnvironment,
  LOCAL_MAIN,
  type StartedBerth,
  startBerth,
  stopBerth,
} from './support/npm-start.ts'

type StartedProcesses = StartedBerth & { children: number[] }

describe('npm start', function () {
  this.timeout(120_000)
  let folder: string
  let directory: string
  let first: LocalRecord
  let running: StartedProcesses | undefined

  const environment = (port: number) =>
    createLocalEnvironment(directory, { PORT: String(port), BERTH_DEMO: 'off' })

  const run = (...args: string[]) => {
    const settings = { cwd: projectDirectory, env: environment(0), encoding: 'utf8' as const }
    return spawnSync(process.execPath, [LOCAL_MAIN, ...args], settings)
  }

  const start = async () => {
    const started = await startBerth(directory, { BERTH_DEMO: 'off' })
    running = { ...started, children: listChildren(started.main.pid as number) }
    return running
  }

  const stop = async (started: StartedProcesses, name?: NodeJS.Signals) => {
    const code = await stopBerth(started, name)
    running = undefined
    return code
  }

  before(() => {
    folder = makeFolder()
    directory = join(folder, 'berth')
  })

  after(async () => {
    if (running) await stop(running)
    removeFolder(folder)
  })

  it('prints help with --help, refuses unknown arguments, and starts nothing in both cases', () => {
    const help = run('--help')
    expect([help.status, help.stderr]).to.deep.equal([0, ''])
    expect(help.stdout).to.match(/^Starts Berth .+npm start.+BERTH_DIR/s)
    const unknown = run('--prot=4000')
    expect([unknown.status, unknown.stdout]).to.deep.equal([1, ''])
    expect(unknown.stderr).to.equal('Unknown argument “--prot=4000” (see npm start -- --help).\n')
    expect(existsSync(directory)).to.equal(false)
  })

  it('prints a curl command that works when pasted, and stores the settings for other commands', async () => {
    const { output, record, children } = await start()
    first = record
    const line = output.split('\n').find((text) => text.trim().startsWith('curl')) ?? ''
    const { stdout, error } = spawnSync('/bin/sh', ['-c', `${line} --silent --fail`], { encoding: 'utf8' })
    expect(error).to.equal(undefined)
    expect(JSON.parse(stdout)).to.have.property('data')
    for (const word of [record.url, record.token, record.admin.email, record.admin.password])
      expect(output).to.include(word)
    expect(statSync(join(directory, 'local.json')).mode & 0o777).to.equal(0o600)
    expect(children).to.have.length.above(4)
    await query(record.databaseUrl, 'CREATE TABLE kept (word text)')
  })

  it('gives the gateway a database role that can write only the gateway’s tables', async () => {
    const [row] = await query(
      first.databaseUrl,
      `SELECT has_table_privilege('berth_gateway', 'bookings', 'SELECT') AS reads,
        has_table_privilege('berth_gateway', 'bookings', 'INSERT') AS writes,
        EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'berth_gateway') AS used`,
    )
    expect(row).to.deep.equal({ reads: true, writes: false, used: true })
  })

  it('sends webhooks to the same machine, but to no other private address', async () => {
    const received: Array<string | undefined> = []
    const receiver = createServer((request, response) => {
      received.push(request.url)
      response.writeHead(204).end()
    }).listen(0, 'localhost')
    await once(receiver, 'listening')
    const { port } = receiver.address() as { port: number }
    const { json } = await askBerth(first, 'POST', 'webhooks', {
      url: `http://localhost:${port}/hook`,
      types: ['*'],
    })
    await askBerth(first, 'POST', `webhooks/${json.data.id}/test`)
    await eventually(() => expect(received).to.deep.equal(['/hook']))
    receiver.close()
    const elsewhere = await askBerth(first, 'POST', 'webhooks', { url: 'http://10.1.2.3/', types: ['*'] })
    expect(elsewhere.status).to.equal(422)
    await askBerth(first, 'DELETE', `webhooks/${json.data.id}`)
  })

  it('refuses to start a second Berth from the same folder', () => {
    const { status, stderr, stdout } = run()
    expect(status).to.equal(1)
    expect(stdout).to.equal('')
    expect(stderr).to.equal(
      `Berth is already running from ${directory} (process ${running?.main.pid}, ${first.url}). Stop it, or set BERTH_DIR to another folder.\n`,
    )
  })

  it('restarts any of its processes that dies', async () => {
    const web = running?.children.find((pid) => readCommandLine(pid).includes('gateway')) as number
    sendSignal(web, 'SIGKILL')
    await sleep(100)
    while (!(await isReachable(first))) await sleep(50)
    expect(isAlive(web)).to.equal(false)
  })

  it('stops every process on SIGTERM, and exits with the code for SIGTERM', async () => {
    const { main } = running as StartedProcesses
    const children = listChildren(main.pid as number)
    const watchdogs = children.filter((pid) => readCommandLine(pid).includes('berth-watchdog'))
    const others = children.filter((pid) => !watchdogs.includes(pid))
    expect(await stop(running as StartedProcesses)).to.equal(0)
    expect(others.filter(isAlive)).to.deep.equal([])
    // Watchdogs end last, and no process waits for their end.
    await eventually(() => expect(watchdogs.filter(isAlive)).to.deep.equal([]))
    expect(existsSync(join(directory, 'lock'))).to.equal(false)
  })

  it('refuses to start if its port is in use', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const before = readFileSync(join(directory, 'postgres/postgres.log'), 'utf8')
    const main = spawn(process.execPath, [LOCAL_MAIN], { cwd: projectDirectory, env: environment(port) })
    let output = ''
    for (const stream of [main.stdout, main.stderr]) stream.on('data', (data) => (output += data))
    const [code] = await once(main, 'exit')
    server.close()
    expect([code, output]).to.deep.equal([
      1,
      `Port ${port} is already in use. Stop the program that uses it, or choose another port (PORT=${port + 1} npm start).\n`,
    ])
    expect(readFileSync(join(directory, 'postgres/postgres.log'), 'utf8')).to.equal(before)
  })

  it('keeps the data, the token and the password after a restart', async () => {
    const { record } = await start()
    expect([record.token, record.admin]).to.deep.equal([first.token, first.admin])
    expect(await query(record.databaseUrl, "SELECT to_regclass('kept') IS NOT NULL AS there")).to.deep.equal([
      { there: true },
    ])
    expect(await isReachable(record)).to.equal(true)
  })

  it('leaves no processes running when it is killed, and can start again', async () => {
    const { children } = running as StartedProcesses
    await stop(running as StartedProcesses, 'SIGKILL')
    const deadline = Date.now() + promised(15_000)
    while (children.some(isAlive) && Date.now() < deadline) await sleep(50)
    expect(children.filter(isAlive).map(readCommandLine)).to.deep.equal([])
    const { record } = await start()
    expect(record.token).to.equal(first.token)
    expect(await stop(running as StartedProcesses, 'SIGINT')).to.equal(0)
  })
})

async function askBerth({ url, token }: LocalRecord, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(`${url}/api/v1/${path}`, { method, headers, ...sent })
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}

async function isReachable({ url, token }: LocalRecord): Promise<boolean> {
  const headers = { Authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/api/v1/groups`, { headers }).catch(() => undefined)
  return response?.status === 200
}

function listChildren(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  const pairs = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  return pairs.flatMap(([pid, ppid]) => (ppid === parent && pid ? [pid] : []))
}

function readCommandLine(pid: number): string {
  return spawnSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim()
}
