// Me: what the person chooses for themselves, and where they are signed in.
import {
  language,
  PERSON_MAILS,
  type PersonMail,
  personMail,
  type Visibility,
  visibility,
} from '../../../shared/people/people.ts'
import { list, object, queryId, required } from '../../../shared/schemas/fields.ts'
import { newVehicleSchema } from '../../../shared/users/user-fields.ts'
import { html } from '../../html/html.ts'
import { findRow } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { createCalendar } from '../pages/calendars/create-calendar.ts'
import { type Call, page } from '../pages/page/page.ts'
import * as cards from './me-cards.ts'
import { endOtherSessions } from './person-sessions.ts'

const oneId = object({ id: required(queryId()) })

export const me = page({
  path: '/me',
  title: sentence`Me`,
  section: 'Me',
  actions: (action) => ({
    'set-visibility': action(object({ visibility: required(visibility()) }), async (call) => {
      await call.dispatch('people.choose', { user_id: call.requirePerson().id, ...call.form })
      return saved(call)
    }),
    'set-language': action(object({ language: required(language()) }), async (call) => {
      await call.dispatch('people.choose', { user_id: call.requirePerson().id, ...call.form })
      // That address stores the language in this browser.
      return { redirectTo: call.link(`/language/${call.form.language}`, { next: call.link('/me') }) }
    }),
    'set-mails': action(
      object({ mails: list(required(personMail()), { max: PERSON_MAILS.length }) }),
      async (call) => {
        const { mails = [] } = call.form
        const muted_mails = PERSON_MAILS.filter((each) => !mails.includes(each))
        await call.dispatch('people.choose', { user_id: call.requirePerson().id, muted_mails })
        return saved(call)
      },
    ),
    'add-vehicle': action(newVehicleSchema, async (call) => {
      await call.dispatch('users.add-vehicle', { user_id: call.requirePerson().id, ...call.form })
      return saved(call)
    }),
    'delete-vehicle': action(oneId, async (call) => {
      await call.dispatch('users.delete-vehicle', { user_id: call.requirePerson().id, ...call.form })
      return { redirectTo: call.link('/me'), notice: t`Deleted.` }
    }),
    'create-calendar': action(object({}), (call) =>
      createCalendar({ ...call, params: { id: call.requirePerson().id } }, 'user_id'),
    ),
    'delete-calendar': action(oneId, async (call) => {
      await call.dispatch('calendars.delete', call.form)
      return { redirectTo: call.link('/me'), notice: t`Calendar address revoked.` }
    }),
    'end-other-sessions': action(object({}), async (call) => {
      await endOtherSessions(call.services.primary, call.requirePerson().id, call.viewer.secret)
      return { redirectTo: call.link('/me'), notice: t`You are signed out everywhere else.` }
    }),
  }),
  async show(call) {
    const { name, email } = call.requirePerson()
    const { visibility, muted } = await findChoices(call)
    const dashboard = await cards.dashboardLink(call)
    return {
      title: name,
      lead: email,
      tools: dashboard,
      content: html`${cards.visibilityCard(call, visibility)}${cards.mailsCard(call, muted)}${cards.languageCard(call)}
${await cards.vehiclesCard(call)}${await cards.calendarsCard(call)}${await cards.sessionsCard(call)}`,
    }
  },
})

const saved = (call: Call) => ({ redirectTo: call.link('/me'), notice: t`Saved.` })

type Choices = { visibility: Visibility; muted: PersonMail[] }

async function findChoices({ reads, requirePerson }: Call): Promise<Choices> {
  const chosen = await findRow<Choices>(
    reads,
    'SELECT visibility, muted_mails AS muted FROM person_settings WHERE user_id = $1',
    [requirePerson().id],
  )
  return chosen ?? { visibility: 'everybody', muted: [] }
}
