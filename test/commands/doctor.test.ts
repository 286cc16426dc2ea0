// Tests what the doctor finds in healthy and in broken installations.
import { expect } from 'chai'
import {
  checkClockDifference,
  createWarning,
  type Finding,
  measureClockAheadMs,
} from '../../commands/doctor/findings.ts'
import { checkPostgresFacts } from '../../commands/doctor/postgres.ts'
import { checkQueues } from '../../commands/doctor/queues.ts'
import { checkRedisFacts } from '../../commands/doctor/redis.ts'
import { checkReplicaFacts } from '../../commands/doctor/replica.ts'
import {
  checkNodeVersion,
  countConnections,
  countProcessConnections,
  countReplicaConnections,
  getReplicaUrl,
  readSettings,
} from '../../commands/doctor/settings.ts'
import { PIPELINE_CONNECTIONS } from '../../gateway/reads/connections/point-reads.ts'
import { openReadConnections } from '../../gateway/reads/connections/read-connections.ts'
import { openServices } from '../../gateway/server/services/services.ts'
import { grantGateway } from '../../shared/database/grants.ts'
import { reportWrongClock } from '../../shared/identity/heartbeat.ts'
import { getRedisKey } from '../../shared/identity/keys.ts'
import { parseInfo } from '../../shared/redis/servers.ts'
import type { QueueName } from '../../shared/schemas/job.ts'
import { describeClock } from '../../shared/utilities/clock.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { CALENDAR_CONNECTIONS_MAX } from '../../workers/calendars/engine/engine.ts'
import { connectWorkDatabase, getConcurrency } from '../../workers/delivery/consumers.ts'
import { HOOKS_CONNECTIONS_MAX as HOOK_CONNECTIONS } from '../../workers/hooks/hooks.ts'
import { KEYS, useConnection, useDatabase } from '../support/databases.ts'
import { openRedis } from '../support/redis.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'
import { runAgainst } from './support/run.ts'

const ROLE = 'berth_doctor_test'
const PASSWORD = 'doctor'
const WAIT_MS = 60_000

const findLevel = (findings: Finding[], about: string) =>
  findings.filter((finding) => finding.about === about).map(({ level }) => level)

describe('npm run doctor', function () {
  this.timeout(120_000)
  const world = useWorld({ workers: ['writes', 'imports', 'exports', 'upkeep'] })
  const empty = useDatabase({ empty: true })
  const other = useDatabase()
  const connection = useConnection(world)

  const examine = async (environment: Record<string, string> = {}) => {
    const all = { REDIS_URL: world.redisUrl, GATEWAY_DATABASE_URL: '', ...environment }
    const run = runAgainst({ databaseUrl: environment.DATABASE_URL ?? world.databaseUrl }, all)
    const { code, stdout } = await run('doctor', ['--json'])
    return { code, ...(JSON.parse(stdout) as { ok: boolean; findings: Finding[] }) }
  }

  it('reports no problem in a healthy installation, as text or as JSON', async () => {
    // Waits until the workers have reported to Redis.
    const { findings } = await eventually(async () => {
      const outcome = await examine()
      expect(outcome.findings.filter(({ level }) => level === 'problem')).to.deep.equal([])
      expect([outcome.code, outcome.ok]).to.deep.equal([0, true])
      return outcome
    }, WAIT_MS)
    for (const about of [
      'Node',
      'settings',
      'Postgres',
      'extensions',
      'migrations',
      'webhooks',
      'cluster',
      'prepared statements',
      'Redis',
      'eviction',
      'processes',
      'queue writes',
    ])
      expect(findLevel(findings, about), about).to.deep.equal(['ok'])
    const { stdout } = await runAgainst(world, { REDIS_URL: world.redisUrl })('doctor', [])
    expect(stdout)
      .to.match(/^ok +Node +\d/)
      .and.match(/^warning +gateway role .*\n +-> Create a role/m)
  })

  it('reports each problem together with a solution, and exits with 1', async () => {
    const missing = await examine({ DATABASE_URL: empty.databaseUrl })
    expect([missing.code, missing.ok]).to.deep.equal([1, false])
    for (const about of ['extensions', 'migrations'])
      expect(findLevel(missing.findings, about), about).to.deep.equal(['problem'])
    for (const { level, todo } of missing.findings) if (level !== 'ok') expect(todo).to.be.a('string')
    expect(findLevel(missing.findings, 'queues')).to.deep.equal(['warning'])
    const none = await examine({ REDIS_URL: world.redisUrl.replace(/\d+$/, '123456') })
    expect([none.code, findLevel(none.findings, 'Redis')]).to.deep.equal([1, ['problem']])
    const away = await examine({ REDIS_URL: 'redis://127.0.0.1:1' })
    expect([away.code, findLevel(away.findings, 'Redis')]).to.deep.equal([1, ['problem']])
    const wrong = await examine({ REDIS_URL: 'http://nowhere', PORT: 'x' })
    expect(findLevel(wrong.findings, 'settings')).to.deep.equal(['problem', 'problem'])
  })

  it('reports missing and excessive permissions of the gateway’s database role', async () => {
    await grantGateway(connection, ROLE, PASSWORD)
    const address = new URL(world.databaseUrl)
    address.username = ROLE
    address.password = PASSWORD
    const look = async () => {
      const { findings } = await examine({ GATEWAY_DATABASE_URL: address.href })
      for (const about of ['prepared statements', 'prepared statements of workers'])
        expect(findLevel(findings, about), about).to.deep.equal(['ok'])
      return findings.filter(({ about }) => about === 'gateway role').map(({ level, says }) => [level, says])
    }
    try {
      expect(await look()).to.deep.equal([['ok', 'may only write its own tables']])
      await connection.raw(`REVOKE DELETE ON sessions FROM ${ROLE}`)
      expect(await look()).to.deep.equal([['problem', 'may not DELETE on sessions']])
      await connection.raw(`GRANT DELETE ON sessions TO ${ROLE}; GRANT INSERT ON bookings TO ${ROLE}`)
      expect(await look()).to.deep.equal([['warning', 'may write bookings, which only workers do']])
      await connection.raw(`REVOKE INSERT ON bookings FROM ${ROLE}; GRANT SELECT ON webhooks TO ${ROLE}`)
      const says = 'may read webhooks.secret, webhooks.previous_secret, which only workers do'
      expect(await look()).to.deep.equal([['warning', says]])
      await connection.raw(`REVOKE SELECT ON webhooks FROM ${ROLE}; GRANT SELECT (id) ON webhooks TO ${ROLE}`)
      expect(await look()).to.deep.equal([['problem', 'may not SELECT on webhooks']])
    } finally {
      await connection.raw(`DROP OWNED BY ${ROLE}; DROP ROLE ${ROLE}`)
    }
  })

  it('names a worker whose clock is wrong, as /readyz does', async () => {
    const redis = openRedis(world.config)
    try {
      const found = await eventually(async () => {
        await reportWrongClock(redis, KEYS, 90_000)
        const findings = await checkQueues(world.config)
        const [clocks] = findings.filter(({ about }) => about === 'clocks of processes')
        return clocks ?? expect.fail('No finding')
      })
      expect([found.level, found.says]).to.deep.equal(['problem', describeClock('a worker’s', 90_000)])
    } finally {
      // Removes the wrong clock, because later tests expect no problem.
      await redis.del(getRedisKey(KEYS, 'wrong-clock'))
      redis.disconnect()
    }
  })

  it('does not list itself among the processes, and leaves no key in Redis', async () => {
    const redis = openRedis(world.config)
    try {
      await examine({ REDIS_PREFIX: 'untouched' })
      expect(await redis.keys('*untouched*')).to.deep.equal([])
    } finally {
      redis.disconnect()
    }
  })

  it('counts the database connections that all processes together may open', async () => {
    const { config } = world
    const services = openServices(config, createLog('test', 'silent'))
    const { pool, streams, people } = openReadConnections(config.databaseUrl, services.primary, config)
    const [ofPool = 0, ofStreams = 0, ofPeople = 0] = [pool, streams, people].map(
      ({ options }) => options.max,
    )
    const reads = ofPool + PIPELINE_CONNECTIONS + ofStreams + ofPeople
    const reserved = Object.values(services.reserved).reduce(
      (sum, { options }) => sum + (options.max ?? 0),
      0,
    )
    await Promise.all([services.close(), streams.end(), people.end()])
    const consumers = (...queues: QueueName[]) => {
      const databases = queues.map((queue) =>
        connectWorkDatabase(queue, getConcurrency(queue, config), config),
      )
      return databases.reduce((sum, { client }) => sum + Number(client.pool.max), 0)
    }
    expect(countProcessConnections(config)).to.deep.equal({
      web: reads + reserved,
      worker: consumers('writes', 'upkeep') + 1,
      files: consumers('imports', 'exports') + 1,
      hooks: HOOK_CONNECTIONS,
    })
    const withCalendars = {
      ...config,
      calendars: {
        microsoft: undefined,
        google: undefined,
        caldav: undefined,
        allowPrivate: [],
        pollSeconds: 300,
        appliesRules: false,
        usesOrganizerMailboxes: false,
      },
    }
    expect(countProcessConnections(withCalendars).hooks).to.equal(HOOK_CONNECTIONS + CALENDAR_CONNECTIONS_MAX)
    const clustered = { ...config, webConcurrency: 3 }
    expect(countConnections(clustered, { web: 2, worker: 0, files: 0, hooks: 3 })).to.equal(
      6 * (reads + reserved) + 3 * HOOK_CONNECTIONS,
    )
    expect(countReplicaConnections(clustered, { web: 2 })).to.equal(6 * (reads + 2))
    expect(getReplicaUrl(config)).to.equal(undefined)
    expect(getReplicaUrl({ ...config, databaseReadUrl: config.databaseUrl })).to.equal(undefined)
    expect(getReplicaUrl({ ...config, databaseReadUrl: 'postgres://replica/berth' })).to.be.a('string')
  })

  it('reports a database whose connection limit is too low for all processes', async () => {
    const name = new URL(world.databaseUrl).pathname.slice(1)
    const limit = (number: number) => connection.raw(`ALTER DATABASE ?? CONNECTION LIMIT ${number}`, [name])
    await limit(20)
    const { code, findings } = await examine()
    await limit(-1)
    const connections = findings.find(({ about }) => about === 'connections')
    expect([code, connections?.level]).to.deep.equal([0, 'warning'])
    expect(connections?.says).to.match(/^all processes may take \d+; this role and database may have 20$/)
  })

  it('reports that no process sends webhooks, although webhooks exist', async () => {
    const look = async () => {
      const { findings } = await examine()
      const found = findings.find(({ about }) => about === 'webhooks')
      return [found?.level, found?.says.replace(/\d{4} s/, '… s')]
    }
    expect(await look()).to.deep.equal(['ok', 'none is on'])
    await connection.raw(
      `INSERT INTO webhooks (url, types, secret, base_url) VALUES ('https://receiver.example', '{*}', 's', '')`,
    )
    expect(await look()).to.deep.equal(['problem', '1 are on, but have never been sent a change'])
    await connection.raw('INSERT INTO webhook_position (horizon, sequence, at) VALUES (0, 0, now())')
    expect(await look()).to.deep.equal(['ok', '1 are on, and told of changes'])
    await connection.raw(
      `INSERT INTO changes (at, type, action, resource_id, actor_type, actor_name, request_id)
       VALUES (now() - interval '20 minutes', 'user', 'deleted', 1, 'system', '', '')`,
    )
    const says = '1 are on, and a change has been waiting for … s to be told'
    expect(await look()).to.deep.equal(['problem', says])
    await connection.raw('DELETE FROM changes; DELETE FROM webhook_position; DELETE FROM webhooks')
  })

  it('reports processes of another database that use the same Redis and prefix', async () => {
    await world.startGateway({ DATABASE_URL: other.databaseUrl })
    await eventually(async () => {
      const { code, findings } = await examine()
      expect([code, findLevel(findings, 'processes')]).to.deep.equal([1, ['problem']])
      expect(findLevel(findings, 'queue writes')).to.deep.equal(['ok'])
    }, WAIT_MS)
    const { findings } = await examine({ DATABASE_URL: other.databaseUrl, REDIS_PREFIX: 'another' })
    expect(findLevel(findings, 'processes'), 'of another prefix').to.deep.equal(['ok'])
    expect(findLevel(findings, 'queue writes')).to.deep.equal(['problem'])
  })
})

describe('npm run doctor without workers', function () {
  this.timeout(120_000)
  const world = useWorld({ workers: [] })

  it('reports a queue without workers', async () => {
    const { code, stdout } = await runAgainst(world, { REDIS_URL: world.redisUrl })('doctor', ['--json'])
    const { findings } = JSON.parse(stdout) as { findings: Finding[] }
    expect(code).to.equal(1)
    const writes = findings.find(({ about }) => about === 'queue writes')
    expect(writes?.todo).to.equal('Start the line “worker” of the Procfile.')
  })
})

describe('the checks of the doctor', () => {
  const REDIS =
    'redis_version:7.2.4\r\nrole:master\r\nmaxmemory:0\r\nused_memory:1000\r\nmaxmemory_policy:noeviction\r\n'
  const wrong: Array<[about: string, info: string]> = [
    ['Redis', 'redis_version:6.2.1'],
    ['eviction', 'maxmemory_policy:allkeys-lru'],
    ['memory of Redis', 'maxmemory:1000\r\nused_memory:900'],
    ['persistence', 'rdb_last_bgsave_status:err'],
    ['role of Redis', 'role:slave'],
  ]
  it('report each problem of a Redis server', () => {
    expect(checkRedisFacts(parseInfo(REDIS)).filter(({ level }) => level !== 'ok')).to.deep.equal([])
    for (const [about, info] of wrong) {
      const findings = checkRedisFacts(parseInfo(`${REDIS}${info}\r\n`))
      expect(findings.filter(({ level }) => level !== 'ok').map((finding) => finding.about)).to.deep.equal([
        about,
      ])
    }
  })

  it('report an outdated or badly configured Postgres', () => {
    const fine = {
      version: '18.1',
      isStandby: false,
      verbosity: 'terse',
      allowed: 97,
      others: 2,
      databaseLimit: null as number | null,
      roleLimit: null as number | null,
      missingExtensions: [] as string[],
      missingExtensionFiles: [] as string[],
      bytes: 1_000,
    }
    const about = (changes: Partial<typeof fine>, wanted = 50) =>
      checkPostgresFacts({ ...fine, ...changes }, wanted)
        .filter(({ level }) => level !== 'ok')
        .map((finding) => `${finding.level} ${finding.about}`)
    expect(about({})).to.deep.equal([])
    expect(about({ version: '14.9 (Debian)' })).to.deep.equal(['problem Postgres'])
    expect(about({ missingExtensions: ['pg_trgm'] })).to.deep.equal(['problem extensions'])
    expect(about({ isStandby: true })).to.deep.equal(['problem role of Postgres'])
    expect(about({ verbosity: 'default' })).to.deep.equal(['warning log of Postgres'])
    expect(about({}, 96)).to.deep.equal(['warning connections'])
    // Managed Postgres services limit connections per role or per database.
    for (const limited of [{ roleLimit: 20 }, { databaseLimit: 20 }]) {
      expect(about(limited, 21)).to.deep.equal(['warning connections'])
      expect(about(limited, 20)).to.deep.equal([])
    }
    const replica = checkReplicaFacts(fine, 96)
    expect(replica.map((finding) => `${finding.level} ${finding.about}`)).to.deep.equal([
      'warning role of the replica',
      'warning connections of the replica',
    ])
    expect(checkReplicaFacts({ ...fine, isStandby: true }, 50).map(({ level }) => level)).to.deep.equal([
      'ok',
    ])
  })

  it('do not mistake the duration of a query for a clock difference', async () => {
    const instants =
      (...all: number[]) =>
      () =>
        all.shift() ?? expect.fail('It asked once more')
    expect(await measureClockAheadMs(async () => 5_000, instants(1_000, 60_000))).to.equal(0)
    expect(await measureClockAheadMs(async () => 5_000, instants(8_000, 60_000))).to.equal(3_000)
    expect(await measureClockAheadMs(async () => 5_000, instants(1_000, 3_000))).to.equal(-2_000)
    expect(checkClockDifference(1_000, createWarning)).to.equal('1000 ms behind this machine')
    expect(checkClockDifference(-1_001, createWarning)).to.include({
      level: 'warning',
      says: '1001 ms before this machine',
    })
  })

  it('require TLS for every host except localhost', () => {
    const about = (address: string) =>
      readSettings({ DATABASE_URL: address, REDIS_URL: 'redis://localhost' }).findings.map(
        (finding) => finding.about,
      )
    for (const near of ['localhost', 'me@127.0.0.1:5433', '[::1]', 'localhost:1,localhost:2'])
      expect(about(`postgres://${near}/berth`), near).to.not.include('TLS')
    for (const far of ['db', 'me@127.0.0.1,db', 'localhost.example.com'])
      expect(about(`postgres://${far}/berth`), far).to.include('TLS')
    expect(about('postgres://db/berth?sslmode=verify-full')).to.not.include('TLS')
  })

  it('accept Node 20.19 and later', () => {
    expect(checkNodeVersion('20.18.9')).to.have.nested.property('[0].level', 'problem')
    for (const version of ['20.19.0', '22.0.0'])
      expect(checkNodeVersion(version)).to.have.nested.property('[0].level', 'ok')
  })
})
