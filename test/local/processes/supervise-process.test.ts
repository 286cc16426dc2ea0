// Processes of the Procfile as `npm start` supervises them: restarted when they die, stopped gracefully, heard when it matters.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { formatLogLine, parseProcfile, superviseProcess } from '../../../local/processes/supervise-process.ts'
import { isAlive, signal } from '../../../local/tools/processes.ts'
import { makeFolder, removeFolder } from '../support/local.ts'

const NEVER = new AbortController().signal

// Appends its number to a file, and notes how it was asked to end.
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

describe('a process of the Procfile', () => {
  let folder: string
  let notes: string

  const supervise = (...parameters: string[]) => {
    writeFileSync(join(folder, 'script.mjs'), SCRIPT)
    return superviseProcess(
      { name: 'script', command: ['exec node', join(folder, 'script.mjs'), ...parameters].join(' ') },
      { logsDirectory: join(folder, 'logs'), environment: { ...process.env, NOTES: notes } },
    )
  }
  // For a moment the file is there and empty.
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

  it('is restarted when it dies, and may finish when it is stopped', async () => {
    const supervised = supervise()
    const [first] = await waitForNotes(1)
    signal(pidIn(first), 'SIGKILL')
    const [, second] = await waitForNotes(2)
    expect(pidIn(second)).not.to.equal(pidIn(first))
    await supervised.stop(NEVER)
    expect(readNotes().slice(2)).to.deep.equal(['drained'])
    expect(isAlive(pidIn(second))).to.equal(false)
  })

  it('is killed at once when there is no more time', async () => {
    const supervised = supervise('stubborn')
    const [first] = await waitForNotes(1)
    const forced = new AbortController()
    setTimeout(() => forced.abort(), 200)
    await supervised.stop(forced.signal)
    expect(isAlive(pidIn(first))).to.equal(false)
  })
})

describe('the Procfile', () => {
  it('is read line by line, with comments and empty lines between', () => {
    const text = 'release: node a.js\r\n# a remark\n\nweb: node b.js --flag \n  odd\nfiles: node c.js x y'
    expect(parseProcfile(text)).to.deep.equal([
      { name: 'release', command: 'node a.js' },
      { name: 'web', command: 'node b.js --flag' },
      { name: 'files', command: 'node c.js x y' },
    ])
  })
})

describe('a log line', () => {
  const word = (entry: object) => formatLogLine('web', JSON.stringify(entry))

  it('is shown if it is a warning or worse, with the cause', () => {
    expect(word({ level: 30, msg: 'listening' })).to.equal(undefined)
    expect(word({ level: 40, msg: 'slow' })).to.equal('web: warning: slow')
    expect(word({ level: 50, msg: 'failed', err: { message: 'no route\nto host' } })).to.equal(
      'web: error: failed: no route to host',
    )
  })

  it('is shown if a process writes outside of its log, except for the stack of a crash', () => {
    expect(formatLogLine('web', 'Error: DATABASE_URL is not set.')).to.equal(
      'web: Error: DATABASE_URL is not set.',
    )
    for (const noise of ['', '    at main (file:///x.js:1:1)', 'Node.js v20.20.2', 'file:///x.js:3'])
      expect(formatLogLine('web', noise)).to.equal(undefined)
  })
})
