// Tests a gateway whose settings can never work: what its callers see, what it logs, and that it stops
// trying.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { generateToken } from '../../shared/tokens/token-store.ts'
import { readServerUrls, withDatabaseName } from '../support/databases.ts'
import { Client } from '../support/http/http.ts'
import { startLine } from '../support/processes.ts'
import { promised, within } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

const ENDED_MS_MAX = promised(10_000)

function withWrongPassword(url: string): string {
  const address = new URL(url)
  address.password = 'wrong'
  return address.href
}

const cases: Array<[what: string, wrong: () => string, reason: RegExp]> = [
  [
    'wrong password',
    () => withWrongPassword(readServerUrls().databaseUrl),
    /^Postgres refuses the password$/,
  ],
  [
    'database that does not exist',
    () => withDatabaseName(readServerUrls().databaseUrl, 'nowhere'),
    /^Postgres does not have this database$/,
  ],
  [
    'Postgres without TLS',
    () => `${readServerUrls().databaseUrl}?sslmode=verify-full`,
    /^Postgres offers no TLS$/,
  ],
]

for (const [what, wrong, reason] of cases) {
  describe(`a gateway with unusable settings: ${what}`, () => {
    const lines: Array<{ msg: string }> = []
    const world = useWorld(() => ({
      workers: [],
      gateway: { databaseUrl: wrong() },
      onLog: (line) => void lines.push(JSON.parse(line)),
    }))

    it('answers 503, and logs the reason', async () => {
      const { json, status } = await new Client(world.url, generateToken()).get('groups')
      expect([status, json.code]).to.deep.equal([503, 'unavailable'])
      expect(lines.map(({ msg }) => msg).filter((msg) => reason.test(msg))).to.not.deep.equal([])
    })
  })
}

describe('gateway processes on a port that is in use', () => {
  const world = useWorld({ workers: [] })

  it('log the reason and exit instead of restarting forever', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const gateway = startLine(
      'exec node dist/gateway/main.js',
      {
        DATABASE_URL: world.databaseUrl,
        REDIS_URL: world.redisUrl,
        PORT: String(port),
        WEB_CONCURRENCY: '2',
      },
      projectDirectory,
    )
    expect(await within(ENDED_MS_MAX, gateway.ended)).to.equal(1)
    other.close()
    const said = gateway.lines.map(({ msg }) => msg)
    expect(said).to.include(`Port ${port} on 127.0.0.1 is already in use. Set PORT to a free port.`)
    expect(said.filter((msg) => msg === 'a gateway process died; starting another')).to.deep.equal([])
  })
})
