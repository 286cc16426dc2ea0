// Tests processes with a password that Postgres refuses: they end after a minute and log why, and Berth does not
// restart them by itself.
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { startLine } from '../support/processes.ts'
import { measureTime } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const LIMIT_MS = 60_000
const ENDED_MS_MAX = 75_000

describe('a process whose password Postgres refuses', () => {
  const world = useWorld({ workers: [] })

  const lines: Array<[line: string, environment: Record<string, string>]> = [
    ['exec node dist/gateway/main.js', {}],
    ['exec node dist/gateway/main.js', { WEB_CONCURRENCY: '2' }],
    ['exec node dist/workers/main.js writes upkeep', {}],
    ['exec node dist/workers/hooks/main.js', {}],
  ]
  for (const [line, environment] of lines) {
    it(`ends after a minute, and logs the reason: ${line} ${JSON.stringify(environment)}`, async () => {
      const address = new URL(world.databaseUrl)
      address.password = 'wrong'
      const settings = { DATABASE_URL: address.href, REDIS_URL: world.redisUrl, PORT: '0', ...environment }
      const child = startLine(line, settings, projectDirectory)
      const { answer: end, tookMs } = await measureTime(() => child.ended)
      expect(end).to.equal(1)
      expect(tookMs).to.be.within(LIMIT_MS, ENDED_MS_MAX)
      const last = child.lines.filter(({ level }) => level === 60).map(({ msg }) => msg)
      expect(last[0]).to.match(/^Postgres refuses the password: .* See DATABASE_URL$/)
    })
  }
})
