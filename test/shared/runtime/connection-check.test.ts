// Tests that a process fails at start if Postgres or Redis rejects its connection URL, but waits for an unreachable
// server.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import {
  findPermanentRefusal,
  listRequiredAddresses,
  type ServerAddress,
} from '../../../shared/runtime/connection-check.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { readServerUrls, useDatabase } from '../../support/databases.ts'

const CHECK_LIMITS = { everyMs: 20, limitMs: 60 }
const CLOSED_PORT = '127.0.0.1:1'

describe('the check of connection URLs at the start of a process', () => {
  const database = useDatabase()
  const changed = (change: (url: URL) => void) => {
    const url = new URL(database.databaseUrl)
    change(url)
    return url.href
  }
  let lines: string[]
  const find = (setting: string, server: ServerAddress['server'], url: string) => {
    lines = []
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) })
    const address: ServerAddress =
      server === 'Postgres'
        ? { setting, server, url }
        : { setting, server, redis: { redisUrl: url, redisPrefix: 'berth' } }
    return findPermanentRefusal([address], log, CHECK_LIMITS)
  }

  it('rejects a URL if Postgres refuses the password, and names the URL', async () => {
    const url = changed((address) => {
      address.password = 'wrong'
    })
    const { message } = await find('GATEWAY_DATABASE_URL', 'Postgres', url)
    expect(message).to.match(/^Postgres refuses the password: .* See GATEWAY_DATABASE_URL$/)
    expect(message).to.not.include('wrong')
    expect(lines, 'said once').to.have.length(1)
    expect(lines[0]).to.include('refuses the password')
  })

  it('rejects a URL if the database does not exist or does not offer TLS', async () => {
    const missing = changed((address) => {
      address.pathname = '/nowhere'
    })
    expect((await find('DATABASE_URL', 'Postgres', missing)).message).to.match(
      /^Postgres does not have this database: /,
    )
    const tls = `${database.databaseUrl}?sslmode=require`
    expect((await find('DATABASE_URL', 'Postgres', tls)).message).to.match(/^Postgres offers no TLS: /)
  })

  it('rejects a URL if Redis refuses the password', async () => {
    const url = readServerUrls().redisUrl.replace('redis://', 'redis://berth:wrong@')
    const { message } = await find('REDIS_URL', 'Redis', url)
    expect(message).to.match(/^Redis refuses the password: .* See REDIS_URL$/)
  })

  it('accepts working URLs, and retries unreachable servers', async () => {
    const good = [
      find('DATABASE_URL', 'Postgres', database.databaseUrl),
      find('REDIS_URL', 'Redis', readServerUrls().redisUrl),
    ]
    const away = [
      find('DATABASE_URL', 'Postgres', `postgres://berth:secret@${CLOSED_PORT}/berth`),
      find('REDIS_URL', 'Redis', `redis://${CLOSED_PORT}`),
    ]
    expect(await Promise.race([...good, ...away, wait(10 * CHECK_LIMITS.limitMs, 'waiting')])).to.equal(
      'waiting',
    )
  })

  it('checks only the URLs that the process cannot work without', () => {
    const config = {
      databaseUrl: 'postgres://owner',
      gatewayDatabaseUrl: 'postgres://gateway',
      redisUrl: 'redis://redis',
      redisPrefix: 'berth',
    }
    const settings = (room: 'gateway' | 'worker', changes = {}) =>
      listRequiredAddresses({ ...config, ...changes }, room).map(({ setting }) => setting)
    expect(settings('gateway')).to.deep.equal(['GATEWAY_DATABASE_URL', 'REDIS_URL'])
    expect(settings('worker')).to.deep.equal(['DATABASE_URL', 'REDIS_URL'])
    expect(settings('gateway', { gatewayDatabaseUrl: undefined })).to.deep.equal([
      'DATABASE_URL',
      'REDIS_URL',
    ])
  })
})
