// Tests PATCH bookables/{id} over HTTP: states, the length of texts, and tags.
import { expect } from 'chai'
import { createBookable, createBooking, createDesk, hoursFromNow } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

// Each text has 255 characters, but a different size in bytes and UTF-16 units. A combining mark counts as a
// character.
const TEXTS_OF_255_CHARACTERS: Array<[kind: string, text: string]> = [
  ['ASCII', 'x'.repeat(255)],
  ['emoji', '🪑'.repeat(255)],
  ['combining marks', `a${'\u0301'.repeat(254)}`],
  ['emoji of several parts', '👩‍💻'.repeat(85)],
]

describe('PATCH bookables/{id}', () => {
  const world = useWorld()
  const client = useClient(world, 'object-write')
  let id: number

  beforeEach(async () => {
    id = await createBookable(world.database, {
      name: 'Desk 12',
      description: 'By the window',
      tags: ['quiet', 'screen'],
    })
  })

  const change = (body: unknown) => client.patch(`bookables/${id}`, body)
  const row = () => world.database('bookables').where({ id }).first()

  it('answers with the bookable, in exactly the documented format', async () => {
    const answer = await change({
      name: ' Desk 13 ',
      description: 'By the door',
      status: 1,
      tags: ['b', 'a'],
    })
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({
      data: { id, name: 'Desk 13', type: 0, status: 1, tags: ['b', 'a'] },
    })
    expect(await row()).to.include({ name: 'Desk 13', description: 'By the door', status: 1 })
  })

  it('changes nothing with an empty request body', async () => {
    const before = await row()
    const answer = await change({})
    expect(answer.json).to.deep.equal({
      data: { id, name: 'Desk 12', type: 0, status: 0, tags: ['quiet', 'screen'] },
    })
    expect(await row()).to.deep.equal(before)
  })

  it('can change each field without the others', async () => {
    const { updated_at: _, ...before } = await row()
    let expected = before
    for (const changes of [{ name: 'A' }, { description: 'B' }, { status: 1 }, { tags: ['C'] }]) {
      await change(changes)
      expected = { ...expected, ...changes }
      const { updated_at: __, ...after } = await row()
      expect(after).to.deep.equal(expected)
    }
  })

  it('clears the description with null', async () => {
    await change({ description: null })
    expect((await row()).description).to.equal(null)
  })

  it('ignores fields that this endpoint cannot change', async () => {
    const { uuid } = await row()
    await change({ id: 7, uuid: 'x', deleted_at: hoursFromNow(0), rules: {}, colour: 'red' })
    expect(await row()).to.include({ id, uuid, deleted_at: null, rules: null })
  })

  describe('the status of a bookable', () => {
    for (const [from, to] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]) {
      it(`can change from ${from} to ${to}`, async () => {
        await world.database('bookables').where({ id }).update({ status: from })
        const answer = await change({ status: to })
        expect([answer.status, answer.json.data.status]).to.deep.equal([200, to])
      })
    }

    for (const from of [0, 1, 2]) {
      it(`cannot change from ${from} to 2`, async () => {
        await world.database('bookables').where({ id }).update({ status: from })
        const answer = await change({ status: 2 })
        expect(answer.status).to.equal(422)
        expect(answer.json.errors).to.deep.equal({ status: ['status must be 0 (flexible) or 1 (blocked).'] })
        expect((await row()).status).to.equal(from)
      })
    }

    it('cannot change from “assigned”, which only the dashboard can end, but other fields can change', async () => {
      await world.database('bookables').where({ id }).update({ status: 2 })
      for (const status of [0, 1]) {
        const answer = await change({ status, name: 'Never' })
        expect([answer.status, answer.json.code]).to.deep.equal([409, 'bookable_assigned'])
      }
      expect(await row()).to.include({ status: 2, name: 'Desk 12' })
      expect((await change({ name: 'Desk 14', tags: [] })).json.data).to.deep.equal({
        id,
        name: 'Desk 14',
        type: 0,
        status: 2,
        tags: [],
      })
    })

    it('can become “blocked” without deleting bookings, and then prevents new bookings', async () => {
      const desk = await createDesk(world.database)
      id = desk.bookable_id
      const times = { from: hoursFromNow(24), to: hoursFromNow(25) }
      const booking = await createBooking(world.database, { bookable_id: id, ...times })
      await change({ status: 1 })
      expect(await world.database('bookings').where({ id: booking })).to.have.length(1)
      const bookings = await world.client('booking-write')
      const body = { ...desk, to_time: hoursFromNow(2) }
      expect((await bookings.post('bookings', body)).json.code).to.equal('bookable_blocked')
      expect((await bookings.delete(`bookings/${booking}`)).status).to.equal(204)
      await change({ status: 0 })
      expect((await bookings.post('bookings', body)).status).to.equal(200)
    })
  })

  describe('the texts of a bookable', () => {
    for (const [kind, text] of TEXTS_OF_255_CHARACTERS) {
      it(`can have up to 255 characters: ${kind}`, async () => {
        const answer = await change({ name: text, description: text, tags: [text] })
        expect(answer.status).to.equal(200)
        expect(answer.json.data).to.deep.include({ name: text, tags: [text] })
        expect(await row()).to.deep.include({ name: text, description: text, tags: [text] })
        const longer = `${text}y`
        const refused = await change({ name: longer, description: longer, tags: ['fine', longer] })
        expect(refused.status).to.equal(422)
        expect(refused.json.errors).to.deep.equal({
          name: ['name must be at most 255 characters long.'],
          description: ['description must be at most 255 characters long.'],
          'tags.1': ['tags.1 must be at most 255 characters long.'],
        })
        expect((await row()).name).to.equal(text)
      })
    }

    it('are trimmed before their length is checked', async () => {
      const text = 'x'.repeat(255)
      const answer = await change({ name: `  ${text}\n`, tags: [`\t${text} `] })
      expect(answer.json.data).to.deep.include({ name: text, tags: [text] })
    })

    it('cannot be empty, except the description', async () => {
      const refused = await change({ name: ' ', tags: [''], description: '' })
      expect(refused.json.errors).to.deep.equal({
        name: ['name must not be empty.'],
        'tags.0': ['tags.0 must not be empty.'],
      })
      expect((await change({ description: '' })).status).to.equal(200)
    })
  })

  describe('the tags of a bookable', () => {
    it('replace all previous tags, and keep their order without exact duplicates', async () => {
      const answer = await change({ tags: ['b', 'A', 'b ', 'a', 'b', 'A'] })
      expect(answer.json.data.tags).to.deep.equal(['b', 'A', 'a'])
    })

    it('can be at most 100, not counting duplicates', async () => {
      const hundred = Array.from({ length: 100 }, (_, number) => `tag ${number}`)
      const answer = await change({ tags: [...hundred, ...hundred, ' tag 7 '] })
      expect([answer.status, answer.json.data?.tags]).to.deep.equal([200, hundred])
      const refused = await change({ tags: [...hundred, 'one more'] })
      expect(refused.json.errors).to.deep.equal({ tags: ['tags must have at most 100 items.'] })
    })

    it('are all removed by an empty array, and stay if the field is absent', async () => {
      await change({ name: 'x' })
      expect((await row()).tags).to.deep.equal(['quiet', 'screen'])
      expect((await change({ tags: [] })).json.data.tags).to.deep.equal([])
    })

    it('can contain any characters', async () => {
      const tags = [
        'NULL',
        '"',
        '\\',
        '{}',
        'a,b',
        "'; DROP TABLE bookables; --",
        '?',
        ':id',
        '$1',
        '{"a":1}',
      ]
      expect((await change({ tags })).json.data.tags).to.deep.equal(tags)
      expect((await row()).tags).to.deep.equal(tags)
    })

    it('are refused if a request has 101 different ones', async () => {
      const tags = Array.from({ length: 101 }, (_, number) => `tag ${number}`)
      expect((await change({ tags: tags.slice(1) })).status).to.equal(200)
      const refused = await change({ tags })
      expect(refused.json.errors).to.deep.equal({ tags: ['tags must have at most 100 items.'] })
    })
  })

  it('every invalid field of a PATCH is named in one refusal', async () => {
    const answer = await change({ name: null, description: 5, status: '1', tags: ['fine', null, 7, ['x']] })
    expect(answer.status).to.equal(422)
    expect(answer.json.errors).to.deep.equal({
      name: ['name must not be null.'],
      description: ['description must be a string.'],
      status: ['status must be 0 (flexible) or 1 (blocked).'],
      'tags.1': ['tags.1 is required.'],
      'tags.2': ['tags.2 must be a string.'],
      'tags.3': ['tags.3 must be a string.'],
    })
  })

  it('a PATCH of an unknown bookable gets 404', async () => {
    for (const unknown of [999_999, 0, '1.5', 'x', '9007199254740993']) {
      const answer = await client.patch(`bookables/${unknown}`, { name: 'x' })
      expect(answer.status, String(unknown)).to.equal(404)
      expect(answer.json.detail).to.equal('There is no bookable with this id.')
    }
  })
})
