// What a process says at its start about a Postgres or Redis that will never accept it, and that it waits for one that is
// only away.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type Address, addressesOf, findPermanentRefusal } from '../../../shared/runtime/connection-check.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { serverUrls, useDatabase } from '../../support/databases.ts'

const LIMITS = { everyMs: 20, limitMs: 60 }
const CLOSED = '127.0.0.1:1'

describe('the addresses of a process', () => {
  const database = useDatabase()
  const changed = (change: (url: URL) => void) => {
    const url = new URL(database.databaseUrl)
    change(url)
    return url.href
  }
  let lines: string[]
  const find = (setting: string, server: Address['server'], url: string) => {
    lines = []
    const log = createLog('test', 'info', { write: (line) => void lines.push(line) })
    const address: Address =
      server === 'Postgres'
        ? { setting, server, url }
        : { setting, server, redis: { redisUrl: url, redisPrefix: 'berth' } }
    return findPermanentRefusal([address], log, LIMITS)
  }

  it('are unusable if Postgres refuses the password, and the error names the address', async () => {
    const url = changed((address) => {
      address.password = 'wrong'
    })
    const { message } = await find('GATEWAY_DATABASE_URL', 'Postgres', url)
    expect(message).to.match(/^Postgres refuses the password: .* See GATEWAY_DATABASE_URL$/)
    expect(message).to.not.include('wrong')
    expect(lines, 'said once').to.have.length(1)
    expect(lines[0]).to.include('refuses the password')
  })

  it('are unusable if the database does not exist, or TLS is not offered', async () => {
    const missing = changed((address) => {
      address.pathname = '/nowhere'
    })
    expect((await find('DATABASE_URL', 'Postgres', missing)).message).to.match(
      /^Postgres does not have this database: /,
    )
    const tls = `${database.databaseUrl}?sslmode=require`
    expect((await find('DATABASE_URL', 'Postgres', tls)).message).to.match(/^Postgres offers no TLS: /)
  })

  it('are unusable if Redis refuses the password', async () => {
    const url = serverUrls().redisUrl.replace('redis://', 'redis://berth:wrong@')
    const { message } = await find('REDIS_URL', 'Redis', url)
    expect(message).to.match(/^Redis refuses the password: .* See REDIS_URL$/)
  })

  it('are accepted if they work, and retried if they are unreachable', async () => {
    const good = [
      find('DATABASE_URL', 'Postgres', database.databaseUrl),
      find('REDIS_URL', 'Redis', serverUrls().redisUrl),
    ]
    const away = [
      find('DATABASE_URL', 'Postgres', `postgres://berth:secret@${CLOSED}/berth`),
      find('REDIS_URL', 'Redis', `redis://${CLOSED}`),
    ]
    expect(await Promise.race([...good, ...away, wait(10 * LIMITS.limitMs, 'waiting')])).to.equal('waiting')
  })

  it('are those that a process cannot work without', () => {
    const config = {
      databaseUrl: 'postgres://owner',
      gatewayDatabaseUrl: 'postgres://gateway',
      redisUrl: 'redis://redis',
      redisPrefix: 'berth',
    }
    const settings = (room: 'gateway' | 'worker', changes = {}) =>
      addressesOf({ ...config, ...changes }, room).map(({ setting }) => setting)
    expect(settings('gateway')).to.deep.equal(['GATEWAY_DATABASE_URL', 'REDIS_URL'])
    expect(settings('worker')).to.deep.equal(['DATABASE_URL', 'REDIS_URL'])
    expect(settings('gateway', { gatewayDatabaseUrl: undefined })).to.deep.equal([
      'DATABASE_URL',
      'REDIS_URL',
    ])
  })
})
