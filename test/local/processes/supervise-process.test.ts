// Tests how `npm start` supervises the processes of the Procfile: it restarts and stops them, and shows important log
// lines.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { formatLogLine, parseProcfile, superviseProcess } from '../../../local/processes/supervise-process.ts'
import { isAlive, sendSignal } from '../../../local/tools/processes.ts'
import { makeFolder, removeFolder } from '../support/local.ts'

const NEVER_ABORTED = new AbortController().signal

// A script that appends its process id to a file, and records the signals that it receives.
const SCRIPT = `
import { appendFileSync } from 'node:fs'
process.on('SIGTERM', () => {
  if (process.argv[2] === 'stubborn') return
  appendFileSync(process.env.NOTES, 'drained\\n')
  process.exit(0)
})
process.on('disconnect', () => appendFileSync(process.env.NOTES, 'disconnected\\n'))
setInterval(() => undefined, 1000)
appendFileSync(process.env.NOTES, 'started ' + process.pid + '\\n')
`

describe('a supervised process', () => {
  let folder: string
  let notes: string

  const supervise = (...parameters: string[]) => {
    writeFileSync(join(folder, 'script.mjs'), SCRIPT)
    return superviseProcess(
      { name: 'script', command: ['exec node', join(folder, 'script.mjs'), ...parameters].join(' ') },
      { logsDirectory: join(folder, 'logs'), environment: { ...process.env, NOTES: notes } },
    )
  }
  // The file is empty for a moment after its creation.
  const readNotes = () => (existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').filter(Boolean) : [])
  const waitForNotes = async (count: number) => {
    while (readNotes().length < count) await sleep(20)
    return readNotes()
  }
  const pidIn = (line: string | undefined) => Number(line?.split(' ')[1])

  beforeEach(() => {
    folder = makeFolder()
    notes = join(folder, 'notes')
    mkdirSync(join(folder, 'logs'))
  })

  afterEach(() => removeFolder(folder))

  it('is restarted when it dies, and may finish its work when it is stopped', async () => {
    const supervised = supervise()
    const [first] = await waitForNotes(1)
    sendSignal(pidIn(first), 'SIGKILL')
    const [, second] = await waitForNotes(2)
    expect(pidIn(second)).not.to.equal(pidIn(first))
    await supervised.stop(NEVER_ABORTED)
    expect(readNotes().slice(2)).to.deep.equal(['drained'])
    expect(isAlive(pidIn(second))).to.equal(false)
  })

  it('is killed immediately when it exceeds its time to stop', async () => {
    const supervised = supervise('stubborn')
    const [first] = await waitForNotes(1)
    const forced = new AbortController()
    setTimeout(() => forced.abort(), 200)
    await supervised.stop(forced.signal)
    expect(isAlive(pidIn(first))).to.equal(false)
  })
})

describe('the parser of the Procfile', () => {
  it('reads one process per line, and skips comments and empty lines', () => {
    const text = 'release: node a.js\r\n# a remark\n\nweb: node b.js --flag \n  odd\nfiles: node c.js x y'
    expect(parseProcfile(text)).to.deep.equal([
      { name: 'release', command: 'node a.js' },
      { name: 'web', command: 'node b.js --flag' },
      { name: 'files', command: 'node c.js x y' },
    ])
  })
})

describe('the filter of the log lines that npm start shows', () => {
  const word = (entry: object) => formatLogLine('web', JSON.stringify(entry))

  it('shows warnings and errors with their cause', () => {
    expect(word({ level: 30, msg: 'listening' })).to.equal(undefined)
    expect(word({ level: 40, msg: 'slow' })).to.equal('web: warning: slow')
    expect(word({ level: 50, msg: 'failed', err: { message: 'no route\nto host' } })).to.equal(
      'web: error: failed: no route to host',
    )
  })

  it('leaves out warnings while processes start, but not errors', () => {
    const starting = (entry: object) => formatLogLine('web', JSON.stringify(entry), false)
    expect(starting({ level: 40, msg: 'writes do not work' })).to.equal(undefined)
    expect(starting({ level: 50, msg: 'failed' })).to.equal('web: error: failed')
  })

  it('shows output that is not a log line, except for the stack trace of a crash', () => {
    expect(formatLogLine('web', 'Error: DATABASE_URL is not set.')).to.equal(
      'web: Error: DATABASE_URL is not set.',
    )
    for (const noise of ['', '    at main (file:///x.js:1:1)', 'Node.js v20.20.2', 'file:///x.js:3'])
      expect(formatLogLine('web', noise)).to.equal(undefined)
  })
})
