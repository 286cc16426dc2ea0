// Kills a process while it sends a notification. No other process sends this notification again, and deliveries that
// the killed process had only reserved are sent once.
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { createUser } from '../support/factories.ts'
import { signInAs } from '../support/people/person.ts'
import { PUSH_ENVIRONMENT, type TestSubscription, usePushService } from '../support/people/push-service.ts'
import { type Child, killChildren, startLine } from '../support/processes.ts'
import { eventually } from '../support/time.ts'
import { useWorld } from '../support/world.ts'

describe('a notification whose sender is killed', function suite() {
  this.timeout(240_000)
  const service = usePushService()
  const world = useWorld({ workers: [] })
  afterEach(killChildren)

  async function start(): Promise<Child> {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    const environment = { DATABASE_URL, REDIS_URL, WEBHOOK_ALLOW_PRIVATE: '127.0.0.1', ...PUSH_ENVIRONMENT }
    const hooks = startLine(
      `exec ${process.execPath} dist/workers/hooks/main.js`,
      environment,
      projectDirectory,
    )
    await hooks.line('telling webhooks')
    return hooks
  }
  async function createPhone(): Promise<TestSubscription> {
    const user_id = await createUser(world.database)
    await signInAs(world, user_id)
    const phone = service.subscribe()
    await world.database.raw(
      `INSERT INTO push_subscriptions (user_id, session_hash, endpoint, p256dh, auth)
       SELECT user_id, hash, ?, ?, ? FROM person_sessions WHERE user_id = ?`,
      [phone.endpoint, phone.p256dh, phone.auth, user_id],
    )
    return phone
  }
  /** Puts a delivery in the queue that `attempts` processes have reserved so far. */
  const deliver = ({ endpoint }: TestSubscription, attempts: number) =>
    world.database.raw(
      `INSERT INTO push_deliveries (subscription_id, payload, topic, is_urgent, attempts, expires_at)
       SELECT id, '{}', 'topic', false, ?, now() + interval '1 hour' FROM push_subscriptions WHERE endpoint = ?`,
      [attempts, endpoint],
    )

  it('is not sent again by another process', async () => {
    const phone = await createPhone()
    const killed = await start()
    service.answer = 'silent'
    await deliver(phone, 0)
    await eventually(() => expect(service.asked).to.equal(1))
    killed.kill('SIGKILL')
    await killed.ended
    service.answer = undefined
    // As if the reservations of the killed process had expired.
    await world.database('push_deliveries').update({ next_at: world.database.fn.now() })
    await start()
    // The next process sends what comes later, and what a dead process had only reserved.
    await deliver(phone, 1)
    await eventually(() => expect(phone.received).to.have.length(1))
    expect(service.asked).to.equal(2)
    expect(await world.database('push_deliveries')).to.deep.equal([])
  })
})
