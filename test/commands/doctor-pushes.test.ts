// Tests the keys that npm run push-keys creates, and the check of notifications by npm run doctor.
import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { checkPushes } from '../../commands/doctor/pushes.ts'
import { connectPool } from '../../shared/database/database.ts'
import { ConfigError, parseConfig } from '../../shared/settings/config.ts'
import { createUser } from '../support/factories.ts'
import { signInAs } from '../support/people/person.ts'
import { PUSH_ENVIRONMENT } from '../support/people/push-service.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

describe('the keys of notifications', function suite() {
  this.timeout(60_000)
  const servers = { DATABASE_URL: 'postgres://x/x', REDIS_URL: 'redis://x' }
  const problemsOf = (environment: Record<string, string>) => {
    try {
      parseConfig({ ...servers, ...environment })
      return []
    } catch (error) {
      return error instanceof ConfigError ? error.problems : expect.fail(String(error))
    }
  }

  it('are printed by npm run push-keys as lines for .env, and are refused if they do not form a pair', () => {
    const made = execFileSync(process.execPath, ['--import', 'tsx', 'commands/push-keys.ts'], {
      encoding: 'utf8',
    })
    const keys = Object.fromEntries(
      made
        .trim()
        .split('\n')
        .map((line) => line.split(/=(.*)/).slice(0, 2)),
    )
    expect(Object.keys(keys)).to.deep.equal(['PUSH_PUBLIC_KEY', 'PUSH_PRIVATE_KEY'])
    const { PUSH_CONTACT, PUSH_PRIVATE_KEY } = PUSH_ENVIRONMENT
    expect(problemsOf({ ...keys, PUSH_CONTACT })).to.deep.equal([])
    expect(problemsOf({ ...keys, PUSH_CONTACT: 'https://example.com' })).to.deep.equal([])
    expect(problemsOf({ ...keys, PUSH_CONTACT, PUSH_PRIVATE_KEY })).to.deep.equal([
      'PUSH_PUBLIC_KEY does not belong to PUSH_PRIVATE_KEY: npm run push-keys creates both keys.',
    ])
    expect(problemsOf({ PUSH_PUBLIC_KEY: 'x', PUSH_CONTACT })).to.have.length(1)
    expect(problemsOf(keys)[0]).to.include('PUSH_CONTACT must be')
    expect(problemsOf({ PUSH_CONTACT })[0]).to.include('PUSH_PUBLIC_KEY is not')
  })
})

describe('the check of notifications by npm run doctor', () => {
  const world = useWorld({ workers: [], environment: PUSH_ENVIRONMENT })
  const pool = use(() => connectPool(world.databaseUrl), { close: (each) => each.end() })
  const check = async (settings = world.config) => {
    const [finding] = await checkPushes(pool, settings)
    return finding && [finding.level, finding.says, finding.todo ?? '']
  }

  it('prints nothing without keys, counts browsers, and names a missing process', async () => {
    expect(await check({ ...world.config, push: undefined })).to.equal(undefined)
    expect((await check({ ...world.config, peoplePages: false }))?.[0]).to.equal('warning')
    expect(await check()).to.deep.equal(['ok', '0 browsers get them', ''])
    const user_id = await createUser(world.database)
    await signInAs(world, user_id)
    await world.database.raw(
      `WITH subscribed AS (
         INSERT INTO push_subscriptions (user_id, session_hash, endpoint, p256dh, auth)
         SELECT user_id, hash, 'https://push.example/1', 'x', 'x' FROM person_sessions RETURNING id
       )
       INSERT INTO push_deliveries (subscription_id, payload, topic, is_urgent, next_at, expires_at)
       SELECT id, '{}', 'x', false, now() - interval '5 minutes', now() + interval '1 hour' FROM subscribed`,
    )
    expect((await check())?.[2]).to.include('hooks')
    await world.database('push_deliveries').delete()
    expect(await check()).to.deep.equal(['ok', '1 browser gets them', ''])
    const next_at = new Date(Date.now() - 300_000)
    await world.database('pushes').insert({ kind: 'reminder', user_id, next_at })
    expect((await check())?.[2]).to.include('worker')
  })
})
