// Tests whom mails name: approvers see who requests a booking, but nobody else sees a colleague's name.
import { expect } from 'chai'
import { VISIBILITIES, type Visibility } from '../../../../shared/people/people.ts'
import { createUser, hoursFromNow } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { createPersonalToken } from '../../../support/personal-tokens.ts'
import { eventually } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import { book } from './mailed-person.ts'
import { useMails } from './use-mails.ts'

const HIDDEN_NAME = 'Verborgen'

describe('mails about people who choose to be hidden', () => {
  const { world, createPerson, emailOf, mailsOf, send, smtp } = useMails()
  const client = useClient(world)

  it('show the person’s name to approvers, and to no other colleague', async () => {
    const check = async (visibility: Visibility) => {
      const { database } = world
      const hidden = await createPerson({ visibility })
      const colleague = await createPerson()
      const approver = await createUser(database)
      await database('users')
        .where({ id: hidden.user_id })
        .update({ name: `Hedda ${HIDDEN_NAME}` })
      // A colleague waits for the person's desk, and gets an offer once the desk is free.
      const held = await book(client, hidden)
      const during = database.raw('tstzrange(?, ?)', [hoursFromNow(30), hoursFromNow(32)])
      await database('waits').insert({ user_id: colleague.user_id, bookable_id: hidden.bookable_id, during })
      const kinds = async () => (await mailsOf(colleague)).map(({ kind }) => kind).sort()
      await client.delete(`bookings/${held}`)
      await eventually(async () => expect(await kinds()).to.deep.equal(['offer']))
      const own = await book(client, colleague, 50)
      expect(await send(colleague)).to.have.length(2)
      await client.patch(`bookings/${own}`, { to_time: hoursFromNow(53) })
      expect(await send(colleague)).to.have.length(3)

      const rules = { approvers: { user_ids: [approver], group_ids: [] } }
      await client.put(`bookables/${hidden.bookable_id}/rules`, rules)
      const asked = await client.post('booking-requests', {
        bookable_id: hidden.bookable_id,
        location_id: hidden.location_id,
        user_id: hidden.user_id,
        from_time: hoursFromNow(60),
        to_time: hoursFromNow(61),
      })
      expect(asked.status, asked.text).to.equal(200)
      const [mail] = await send({ user_id: approver, email: await emailOf(approver) })
      expect(mail?.text).to.include(HIDDEN_NAME)
      for (const { headers, text } of smtp.sentTo(colleague.email))
        expect(headers + text)
          .to.not.include(HIDDEN_NAME)
          .and.not.include(hidden.email)
    }
    await Promise.all(VISIBILITIES.map(check))
  })

  it('say by name who booked for somebody, unless that person hides, even if confirmations are switched off', async () => {
    const { database } = world
    for (const isHidden of [false, true]) {
      const reader = await createPerson({ muted_mails: ['confirmation'] })
      const booker = await createUser(database, { name: 'Anna Berg' })
      await client.put(`locations/${reader.location_id}/rules`, { book_for_others: { everybody: true } })
      if (isHidden) await database('person_settings').insert({ user_id: booker, visibility: 'nobody' })
      const anna = new Client(world.url, await createPersonalToken(database, booker))
      const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(32) }
      const { bookable_id, location_id, user_id } = reader
      const made = await anna.post('bookings', { bookable_id, location_id, user_id, ...times })
      expect(made.status, made.text).to.equal(200)
      const [mail, ...more] = await send(reader)
      expect(more).to.deep.equal([])
      const [{ id }] = made.json.data
      if (isHidden) expect(mail?.text).to.include('has booked a place for you.').and.not.include('Anna')
      else expect(mail?.text).to.match(/Anna Berg has booked .* for you on /)
      if (!isHidden) expect(mail?.text).to.include(`/my/bookings/${id}`)
      await anna.delete(`bookings/${id}`)
      const [, cancelled] = await send(reader)
      expect(cancelled?.headers).to.include('Subject: Cancelled: ')
    }
  })
})
