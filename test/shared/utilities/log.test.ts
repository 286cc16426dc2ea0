// Tests what the log contains, and what it must never contain.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { createLog, createUnredactedLog } from '../../../shared/utilities/log.ts'
import { openRedis } from '../../support/redis.ts'
import { useWorld } from '../../support/world.ts'

describe('the log', () => {
  const world = useWorld({ workers: [] })

  it('names a command that Redis refused, without the arguments', async () => {
    const lines: string[] = []
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) })
    const redis = openRedis(world.config, { kind: 'fail-fast', log })
    if (redis.status !== 'ready') await once(redis, 'ready')
    try {
      const error = await redis
        .evalsha('0'.repeat(40), 0, '{"email":"ada@example.com"}')
        .catch((caught) => caught)
      log.warn({ err: error }, 'Not added')
    } finally {
      redis.disconnect()
    }
    const line = lines.find((each) => each.includes('Not added'))
    expect(line).to.include('NOSCRIPT').and.to.include('evalsha')
    expect(line).to.not.include('ada@example.com')
  })
})

describe('the log on standard output', () => {
  // Resolves to the source or the built file, depending on which of both runs this test.
  const log = new URL(`../../../shared/utilities/log${extname(import.meta.url)}`, import.meta.url)

  /** Returns the chunks that a process writes, and its exit code. */
  async function run(script: string) {
    const source = `import { createLog } from '${log}'; const log = createLog('test', 'info'); ${script}`
    const parameters = [...process.execArgv, '--input-type=module', '--eval', source]
    const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = once(child, 'exit')
    const written = await text(child.stdout)
    const [code] = await ended
    const lines = written.split('\n').filter(Boolean)
    return { code, messages: lines.map((line) => JSON.parse(line).msg as string) }
  }

  it('contains all lines in order, regardless of how the process ends', async () => {
    const messages = ['first', 'second', 'third']
    const script = messages.map((message) => `log.info('${message}');`).join('')
    expect(await run(script)).to.deep.equal({ code: 0, messages })
    expect(await run(`${script} process.exit(3)`)).to.deep.equal({ code: 3, messages })
    expect(await run(`${script} throw new Error('a bug')`)).to.deep.equal({ code: 1, messages })
  })

  it('writes warnings and all lines before them immediately, even if the process is then killed', async () => {
    const script = `log.info('first'); log.warn('second'); process.kill(process.pid, 'SIGKILL')`
    expect((await run(script)).messages).to.deep.equal(['first', 'second'])
  })

  it('writes lines below warnings with a short delay, while the process continues', async () => {
    const script = `log.info('first'); setTimeout(() => process.kill(process.pid, 'SIGKILL'), 500)`
    expect((await run(script)).messages).to.deep.equal(['first'])
  })
})

describe('a flood of log lines', () => {
  it('is written in the same format, but not searched for secrets', () => {
    const lines: string[] = []
    const all = createLog('test', 'info', { write: (line) => void lines.push(line) })
    for (const log of [all, createUnredactedLog(all)])
      log.info({ status: 200, of: { token: 'secret' } }, 'request')
    const [usual, quick] = lines.map((line) => JSON.parse(line))
    expect(usual.of.token).to.equal('[Redacted]')
    expect({ ...quick, time: 0, of: 0 }).to.deep.equal({ ...usual, time: 0, of: 0 })
  })
})
