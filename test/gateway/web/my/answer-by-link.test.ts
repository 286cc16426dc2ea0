// Tests the page behind the links in an invitation: a colleague or a guest answers without signing in.
import { createHash, randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { Browser } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const BUTTONS = ['Yes, I will come', 'Maybe', 'No, I will not come']

describe('the page behind the links in an invitation', () => {
  const world = useWorld({ workers: ['writes'], environment: { PEOPLE_PAGES: 'on' } })
  const client = useClient(world)

  async function createScene() {
    const { database } = world
    const building_id = await createBuilding(database, {
      name: 'Harbour',
      address: '1 Quay Street',
      timezone: 'Asia/Kolkata',
    })
    const location_id = await createLocation(database, { building_id, name: 'Third floor' })
    const room = await createBookable(database, {
      location_id,
      type: BOOKABLE_TYPES.meetingRoom,
      name: 'Lagoon',
    })
    const organizer = await createUser(database, { name: 'Olga Organizer' })
    const colleague = await createUser(database, { name: 'Carla Colleague' })
    const email = `${randomUUID()}@visitor.example`
    const made = await client.post('events', {
      name: 'Harbour plans',
      description: 'Bring the drawings.',
      organizer_user_id: organizer,
      from_time: hoursFromNow(20),
      to_time: hoursFromNow(21),
      attendees: [
        { type: 'user', id: colleague },
        { type: 'visitor', email, name: 'Grace Hopper' },
        { type: 'bookable', id: room },
      ],
    })
    expect(made.status, made.text).to.equal(200)
    const { id } = made.json.data as { id: number }
    return {
      id,
      colleague,
      email,
      ofColleague: await createLink(id, { user_id: colleague }),
      ofGuest: await createLink(id, { email }),
    }
  }
  async function createLink(event_id: number, who: object): Promise<string> {
    const secret = randomUUID()
    const [{ id: invitation_id }] = await world
      .database('invitations')
      .insert({ event_id, ...who })
      .returning('id')
    const hash = createHash('sha256').update(secret).digest()
    await world.database('answer_links').insert({ hash, invitation_id, expires_at: hoursFromNow(21) })
    return `/my/answer?token=${secret}`
  }
  async function open(link: string, headers: Record<string, string> = {}): Promise<Browser> {
    const browser = new Browser(world.url)
    await browser.open(link, { headers })
    return browser
  }
  const statusOf = async (event_id: number, who: object) =>
    (
      await world
        .database('event_attendees')
        .where({ event_id, ...who })
        .first()
    ).status
  const buttonsOf = ({ page }: Browser) =>
    [...page.text.matchAll(/<button class="button (?:primary|quiet)">([^<]*)<\/button>/g)].map(
      ([, label]) => label,
    )

  it('shows the meeting and the answer buttons, with the answer in the link first, and saves nothing when it is opened', async () => {
    const { id, email, ofGuest } = await createScene()
    const browser = await open(`${ofGuest}&answer=no`)
    expect(browser.page.status).to.equal(200)
    expect(browser.words)
      .to.include('Harbour plans')
      .and.include('Olga Organizer invites you to this meeting.')
      .and.include('Lagoon, Third floor, Harbour, 1 Quay Street')
      .and.include('(Asia/Kolkata)')
      .and.include('Bring the drawings.')
    expect(buttonsOf(browser)).to.deep.equal(['No, I will not come', 'Yes, I will come', 'Maybe'])
    expect(buttonsOf(await open(ofGuest))).to.deep.equal(BUTTONS)
    expect(await statusOf(id, { email })).to.equal(0)
  })

  it('shows no names of other attendees, neither to a guest nor to a colleague', async () => {
    const { email, ofGuest, ofColleague } = await createScene()
    for (const link of [ofGuest, ofColleague]) {
      const { page } = await open(link)
      for (const other of ['Carla Colleague', 'Grace Hopper', email]) expect(page.text).to.not.include(other)
    }
  })

  it('saves an answer with one click, without a session or scripts, and shows the current answer', async () => {
    const { id, email, colleague, ofGuest, ofColleague } = await createScene()
    const guest = await open(`${ofGuest}&answer=yes`)
    await guest.submit('Yes, I will come')
    expect(guest.page.status).to.equal(200)
    expect(guest.words).to.include('You have accepted')
    expect(await statusOf(id, { email })).to.equal(1)
    await guest.submit('Maybe')
    expect(guest.words).to.include('You have answered “maybe”')
    expect(buttonsOf(guest)[0]).to.equal('Maybe')
    const other = await open(ofColleague)
    await other.submit('No, I will not come')
    expect(other.words).to.include('You have declined')
    expect([await statusOf(id, { email }), await statusOf(id, { user_id: colleague })]).to.deep.equal([2, 3])
  })

  it('shows the current time of a meeting that has moved, and saves no answer to a former time', async () => {
    const { id, email, ofGuest } = await createScene()
    const browser = await open(`${ofGuest}&answer=yes`)
    const moved = await client.patch(`events/${id}`, {
      from_time: '2031-02-11T04:30:00Z',
      to_time: '2031-02-11T05:30:00Z',
    })
    expect(moved.status, moved.text).to.equal(200)
    await browser.submit('Yes, I will come')
    expect(browser.page.status).to.equal(409)
    expect(browser.words)
      .to.include('The time of this meeting has changed')
      .and.include('Tue, 11 Feb 2031, 10:00 – 11:00')
    expect(await statusOf(id, { email })).to.equal(0)
    await browser.submit('Yes, I will come')
    expect(browser.words).to.include('You have accepted')
    expect(await statusOf(id, { email })).to.equal(1)
    expect((await open(`${ofGuest}&answer=no`)).words).to.include('Tue, 11 Feb 2031, 10:00 – 11:00')
  })

  it('records a colleague’s answer under their name, and a guest’s answer as made by the system', async () => {
    const { id, colleague, ofGuest, ofColleague } = await createScene()
    for (const link of [ofColleague, ofGuest]) await (await open(link)).submit('Maybe')
    const entries = await world
      .database('audit_log')
      .where({ action: 'events.answer', resource_id: id })
      .orderBy('id')
    expect(entries.map(({ actor_type, actor_id }) => [actor_type, actor_id])).to.deep.equal([
      ['user', colleague],
      ['system', null],
    ])
    expect(entries.map(({ actor_name }) => actor_name).join()).to.not.include('visitor.example')
  })

  it('uses the language of the browser', async () => {
    const { ofGuest } = await createScene()
    const browser = await open(`${ofGuest}&answer=yes`, { 'Accept-Language': 'de' })
    expect(browser.words).to.include('Olga Organizer lädt Sie zu diesem Termin ein.')
    expect(buttonsOf(browser)).to.deep.equal(['Ja, ich komme', 'Vielleicht', 'Nein, ich komme nicht'])
  })

  it('says that a cancelled meeting is cancelled, and shows no answer buttons', async () => {
    const { id, ofGuest } = await createScene()
    const browser = await open(ofGuest)
    await client.delete(`events/${id}`)
    await browser.submit('Maybe')
    expect(browser.page.status).to.equal(409)
    expect(browser.words).to.include('The meeting is cancelled.')
    const later = await open(ofGuest)
    expect(later.words).to.include('Harbour plans').and.include('cancelled')
    expect(buttonsOf(later)).to.deep.equal([])
  })

  type Scene = Awaited<ReturnType<typeof createScene>>
  const ENDS: Array<[string, (scene: Scene) => Promise<unknown>]> = [
    [
      'the meeting is over',
      ({ id }) =>
        world
          .database('events')
          .where({ id })
          .update({ during: world.database.raw('tstzrange(?, ?)', [hoursFromNow(-2), hoursFromNow(-1)]) }),
    ],
    ['its time is over', () => world.database('answer_links').update({ expires_at: hoursFromNow(-1) })],
    [
      'the person is no longer invited',
      ({ id, colleague }) => client.patch(`events/${id}`, { attendees: { remove: [colleague] } }),
    ],
    [
      'the person is deactivated',
      ({ colleague }) =>
        world.database('users').where({ id: colleague }).update({ deactivated_at: new Date() }),
    ],
  ]
  for (const [what, end] of ENDS)
    it(`says that the link no longer works once ${what}, and shows nothing about the meeting`, async () => {
      const scene = await createScene()
      const browser = await open(scene.ofColleague)
      await end(scene)
      await browser.submit('Maybe')
      expect(browser.page.status).to.equal(404)
      const later = await open(scene.ofColleague)
      expect(later.page.status).to.equal(404)
      expect(later.words)
        .to.include('This link no longer works. The meeting is over, or you are no longer invited.')
        .and.not.include('Harbour plans')
      const entries = await world
        .database('audit_log')
        .where({ action: 'events.answer', resource_id: scene.id })
      expect(entries).to.deep.equal([])
    })

  it('does not open without a valid secret', async () => {
    for (const link of ['/my/answer', '/my/answer?token=', `/my/answer?token=${randomUUID()}&answer=yes`])
      expect((await open(link)).page.status, link).to.equal(404)
  })
})
