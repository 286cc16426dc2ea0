// Whom mails name: who may decide a request reads who asks; nobody else reads of a colleague, whether they hide or not.
import { expect } from 'chai'
import { VISIBILITIES, type Visibility } from '../../../../shared/people/people.ts'
import { createUser, hoursFromNow } from '../../../support/factories.ts'
import { eventually } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import { book } from './mailed-person.ts'
import { useMails } from './use-mails.ts'

const MARK = 'Verborgen'

describe('mails and people who hide', () => {
  const { world, createPerson, emailOf, mailsOf, send, smtp } = useMails()
  const client = useClient(world)

  it('name a person to their approvers, and to no other colleague', async () => {
    const check = async (visibility: Visibility) => {
      const { database } = world
      const hidden = await createPerson({ visibility })
      const colleague = await createPerson()
      const approver = await createUser(database)
      await database('users')
        .where({ id: hidden.user_id })
        .update({ name: `Hedda ${MARK}` })
      // A colleague waits for what the person has, and gets an offer once it is free.
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
      expect(mail?.text).to.include(MARK)
      for (const { headers, text } of smtp.sentTo(colleague.email))
        expect(headers + text)
          .to.not.include(MARK)
          .and.not.include(hidden.email)
    }
    await Promise.all(VISIBILITIES.map(check))
  })
})
