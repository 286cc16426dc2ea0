// The Me page: the person's own settings, and where they are signed in.
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import {
  languageInput,
  PERSON_MAILS,
  PERSON_PUSHES,
  type PersonMail,
  type PersonPush,
  personMailInput,
  personPushInput,
  pushSubscriptionFields,
  type Visibility,
  visibility,
} from '../../../shared/people/people.ts'
import { list, object, queryId, required } from '../../../shared/schemas/fields.ts'
import { newVehicleSchema } from '../../../shared/users/user-fields.ts'
import { requirePublicUrl } from '../../../shared/webhooks/webhook-urls.ts'
import { html } from '../../html/html.ts'
import { findRow } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { removeAbsenceForm } from '../pages/absences/absences.ts'
import { createCalendar } from '../pages/calendars/create-calendar.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { hashSecret } from '../sessions/secrets.ts'
import { awayForm, recordAbsence, removeAbsence, showAwayCard } from './away/away.ts'
import { endLoanForm, endOwnLoan, lendForm, lendOwnDesk, showOwnDesksCard } from './lend/lend-card.ts'
import * as cards from './me-cards.ts'
import { endOtherSessions } from './person-sessions.ts'

const idForm = object({ id: required(queryId()) })

export const profilePage = definePage({
  path: '/me',
  title: sentence`Me`,
  section: 'Me',
  actions: (action) => ({
    'set-visibility': action(object({ visibility: required(visibility()) }), async (call) => {
      await call.dispatch('people.choose', { user_id: call.requirePerson().id, ...call.form })
      return redirectToMe(call)
    }),
    'set-picture': action(
      object({}),
      async (call) => {
        if (!call.upload) throw new Refusal('malformed_body', message`This form must be sent with a file.`)
        const user_id = call.requirePerson().id
        await call.dispatch('people.set-picture', { user_id, file_id: call.upload.fileId })
        return redirectToMe(call)
      },
      { takesFile: true },
    ),
    'remove-picture': action(object({}), async (call) => {
      await call.dispatch('people.set-picture', { user_id: call.requirePerson().id, file_id: null })
      return { redirectTo: call.link('/me'), notice: t`Picture removed.` }
    }),
    'set-language': action(object({ language: required(languageInput()) }), async (call) => {
      await call.dispatch('people.choose', { user_id: call.requirePerson().id, ...call.form })
      // Redirects to an address that also stores the language in this browser.
      return { redirectTo: call.link(`/language/${call.form.language}`, { next: call.link('/me') }) }
    }),
    'set-mails': action(
      object({
        mails: list(required(personMailInput()), { max: PERSON_MAILS.length }),
        pushes: list(required(personPushInput()), { max: PERSON_PUSHES.length }),
      }),
      async (call) => {
        const { mails = [], pushes = [] } = call.form
        const muted_mails = PERSON_MAILS.filter((each) => !mails.includes(each))
        // Without keys, the form has no such field, and the choice stays.
        const pushed_kinds = call.services.config.push ? pushes : undefined
        await call.dispatch('people.choose', { user_id: call.requirePerson().id, muted_mails, pushed_kinds })
        return redirectToMe(call)
      },
    ),
    'turn-on-pushes': action(object(pushSubscriptionFields()), async (call) => {
      const { config } = call.services
      if (!config.push) throw new Refusal('not_found', message`Berth does not send notifications here.`)
      requirePublicUrl({ url: call.form.endpoint }, config)
      const session = hashSecret(call.viewer.secret).toString('hex')
      await call.dispatch('people.subscribe-to-pushes', {
        user_id: call.requirePerson().id,
        session,
        ...call.form,
      })
      return { redirectTo: call.link('/me'), notice: t`Notifications are on in this browser.` }
    }),
    'turn-off-pushes': action(idForm, async (call) => {
      await call.dispatch('people.unsubscribe-from-pushes', {
        user_id: call.requirePerson().id,
        ...call.form,
      })
      return { redirectTo: call.link('/me'), notice: t`Notifications are off in that browser.` }
    }),
    lend: action(lendForm, lendOwnDesk),
    'end-loan': action(endLoanForm, endOwnLoan),
    'add-vehicle': action(newVehicleSchema, async (call) => {
      await call.dispatch('users.add-vehicle', { user_id: call.requirePerson().id, ...call.form })
      return redirectToMe(call)
    }),
    'delete-vehicle': action(idForm, async (call) => {
      await call.dispatch('users.delete-vehicle', { user_id: call.requirePerson().id, ...call.form })
      return { redirectTo: call.link('/me'), notice: t`Deleted.` }
    }),
    'create-calendar': action(object({}), (call) =>
      createCalendar({ ...call, params: { id: call.requirePerson().id } }, 'user_id'),
    ),
    'delete-calendar': action(idForm, async (call) => {
      await call.dispatch('calendars.delete', call.form)
      return { redirectTo: call.link('/me'), notice: t`Calendar address revoked.` }
    }),
    'record-absence': action(awayForm, recordAbsence),
    'remove-absence': action(removeAbsenceForm, removeAbsence),
    'end-other-sessions': action(object({}), async (call) => {
      await endOtherSessions(call.services.primary, call.requirePerson().id, call.viewer.secret)
      return { redirectTo: call.link('/me'), notice: t`You are signed out everywhere else.` }
    }),
  }),
  async show(call) {
    const { name, email } = call.requirePerson()
    const { visibility, muted, pushed } = await findChoices(call)
    const dashboard = await cards.showDashboardLink(call)
    return {
      title: name,
      lead: email,
      tools: dashboard,
      content: html`<div class="my-cards">${await showAwayCard(call)}${await showOwnDesksCard(call)}${cards.showVisibilityCard(call, visibility)}${await cards.showPictureCard(call)}${cards.showMailsCard(call, muted, pushed)}${await cards.showPushCard(call, pushed.length > 0)}${cards.showLanguageCard(call)}
${await cards.showVehiclesCard(call)}${await cards.showCalendarsCard(call)}${await cards.showSessionsCard(call)}</div>`,
    }
  },
})

const redirectToMe = (call: Call) => ({ redirectTo: call.link('/me'), notice: t`Saved.` })

type ProfileChoices = { visibility: Visibility; muted: PersonMail[]; pushed: PersonPush[] }

async function findChoices({ reads, requirePerson }: Call): Promise<ProfileChoices> {
  const chosen = await findRow<ProfileChoices>(
    reads,
    'SELECT visibility, muted_mails AS muted, pushed_kinds AS pushed FROM person_settings WHERE user_id = $1',
    [requirePerson().id],
  )
  return chosen ?? { visibility: 'everybody', muted: [], pushed: [] }
}
