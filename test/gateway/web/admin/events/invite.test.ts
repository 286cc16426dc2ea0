// Tests invitations by mail to meetings in the dashboard.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createUser, hoursFromNow } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'
import { createMailSettings } from '../../../../workers/pollers/mail/mailed-person.ts'
import { useSmtp } from '../../../../workers/pollers/mail/smtp-server.ts'

const INVITE_CHECKBOX = 'Invite everybody by e-mail'

describe('a meeting in the dashboard', () => {
  const smtp = useSmtp()
  const world = useWorld(() => ({ environment: createMailSettings(smtp) }))
  const browser = useSignedIn(world)

  const local = (hours: number) => hoursFromNow(hours).slice(0, 16)

  async function createMeeting(fields: Record<string, string | undefined>) {
    const organizer = await createUser(world.database)
    await browser.open(`/dashboard/events/new?add=u${organizer}`)
    expect(browser.words).to.include(INVITE_CHECKBOX)
    const times = { from_time: local(48), to_time: local(49), from_timezone: 'UTC' }
    await browser.submit('Create meeting', { name: 'Harbour plans', ...times, ...fields })
    expect(browser.words).to.include('Meeting created.')
    const [event] = await world.database('events').where({ organizer_user_id: organizer })
    return event
  }

  it('invites everybody by mail unless the checkbox is cleared', async () => {
    expect((await createMeeting({})).invites).to.equal(true)
    expect((await createMeeting({ invite: undefined })).invites).to.equal(false)
  })

  it('says before a change or cancellation that invited people get an e-mail about it', async () => {
    const { id } = await createMeeting({})
    await browser.open(`/dashboard/events/${id}/change`)
    expect(browser.words)
      .to.include('Everybody is invited by e-mail and gets an e-mail about this change.')
      .and.not.include(INVITE_CHECKBOX)
    await browser.open(`/dashboard/events/${id}/cancel`)
    expect(browser.words).to.include('One person is invited and gets an e-mail about the cancellation.')
  })

  it('invites everybody when the checkbox is set in a later change', async () => {
    const { id } = await createMeeting({ invite: undefined })
    await browser.open(`/dashboard/events/${id}/change`)
    await browser.submit('Save changes', { invite: 'true' })
    expect((await world.database('events').where({ id }).first()).invites).to.equal(true)
  })
})
