// Creates a world that sends notifications to a test push service, and people whose browsers get them.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { startHooks } from '../../../../workers/hooks/hooks.ts'
import { parseForms } from '../../../support/dashboard/dashboard.ts'
import { signInAs } from '../../../support/people/person.ts'
import {
  PUSH_ENVIRONMENT,
  type TestSubscription,
  usePushService,
} from '../../../support/people/push-service.ts'
import { eventually } from '../../../support/time.ts'
import { useWith } from '../../../support/use.ts'
import { useWorld } from '../../../support/world.ts'
import { createPerson, type MailedPerson } from '../mail/mailed-person.ts'

const silent = createLog('test', 'silent')

export type PushedPerson = MailedPerson & { phone: TestSubscription }

export function usePushes({ timeoutMs = 30_000 }: { timeoutMs?: number } = {}) {
  const service = usePushService()
  const world = useWorld({ workers: ['writes', 'exports', 'upkeep'], environment: PUSH_ENVIRONMENT })
  useWith(
    world,
    () =>
      startHooks(world.config, silent, {
        timeoutMs,
        lookup: async () => [{ address: '10.1.2.3', family: 4 }],
      }),
    (hooks) => hooks.stop(),
  )
  afterEach(() => {
    service.answer = undefined
    expect(service.problems).to.deep.equal([])
  })

  /** Signs the person in with a new browser, and turns on notifications in it. */
  async function turnOn(user_id: number, phone = service.subscribe()) {
    const browser = await signInAs(world, user_id)
    await browser.open('/my/me')
    const { endpoint, p256dh, auth } = phone
    const turnOnForm = parseForms(browser.page.text).find(({ controls }) =>
      controls.some(({ name }) => name === 'endpoint'),
    )
    await browser.send(turnOnForm ?? expect.fail('The page has no such form'), { endpoint, p256dh, auth })
    expect(browser.words).to.include('Notifications are on in this browser.')
    return { browser, phone }
  }

  /** Creates a person with a desk who wants these kinds of notifications, and has turned them on in a browser. */
  async function createPushedPerson(
    pushed_kinds: string[],
    settings: Parameters<typeof createPerson>[1] = {},
  ): Promise<PushedPerson> {
    const person = await createPerson(world, settings)
    await world.database('person_settings').where({ user_id: person.user_id }).update({ pushed_kinds })
    return { ...person, ...(await turnOn(person.user_id)) }
  }

  const pushesOf = ({ user_id }: { user_id: number }) => world.database('pushes').where({ user_id })

  /** Waits until all changes so far have become pushes. */
  async function queued() {
    const { rows } = await world.database.raw('SELECT coalesce(max(sequence), 0) AS newest FROM changes')
    await eventually(async () => {
      const [position] = await world.database('push_position')
      expect(Number(position.sequence)).to.be.at.least(Number(rows[0].newest))
    })
  }

  /** Makes the person's pushes due, and waits until their deliveries are sent. Returns what the phone got. */
  async function send(person: PushedPerson) {
    await queued()
    const { database } = world
    await pushesOf(person).whereNotNull('next_at').update({ next_at: database.fn.now() })
    await eventually(async () => {
      expect(await pushesOf(person).whereNotNull('next_at')).to.deep.equal([])
      expect(await database('push_deliveries')).to.deep.equal([])
    })
    // A delivery is deleted before it is sent, so the last one may be on its way.
    let before = -1
    await eventually(async () => {
      const { asked } = service
      const isQuiet = before === asked
      before = asked
      expect(isQuiet).to.equal(true)
    })
    return person.phone.received
  }

  return { service, world, turnOn, createPushedPerson, pushesOf, queued, send }
}
