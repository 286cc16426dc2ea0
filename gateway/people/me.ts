// Me: who sees where I sit, the language, and signing out.
import { VISIBILITIES, type Visibility, visibility } from '../../shared/people/people.ts'
import { object, required } from '../../shared/schemas/fields.ts'
import { type Call, page } from '../dashboard/kit/page.ts'
import { type Sentence, sentence, t, translate } from '../dashboard/locales/translate.ts'
import { findRow } from '../dashboard/search/rows.ts'
import { form } from '../dashboard/ui/forms.ts'
import { card, showLink } from '../dashboard/ui/parts.ts'
import { html } from '../http/html.ts'
import { endOtherSessions } from './person-sessions.ts'

const LABELS: Record<Visibility, Sentence> = {
  everybody: sentence`Everybody in the company`,
  groups: sentence`People in my groups`,
  nobody: sentence`Nobody: others see “Someone”`,
}

export const me = page({
  path: '/me',
  title: sentence`Me`,
  section: 'Me',
  actions: (action) => ({
    'set-visibility': action(object({ visibility: required(visibility()) }), async (call) => {
      await call.dispatch('people.choose', { user_id: call.requirePerson().id, ...call.form })
      return { redirectTo: call.link('/me'), notice: t`Saved.` }
    }),
    'end-other-sessions': action(object({}), async (call) => {
      await endOtherSessions(call.services.primary, call.requirePerson().id, call.viewer.secret)
      return { redirectTo: call.link('/me'), notice: t`You are signed out everywhere else.` }
    }),
  }),
  async show(call) {
    const { name, email } = call.requirePerson()
    const options = VISIBILITIES.map((value) => ({ value, label: translate(LABELS[value]) }))
    return {
      title: name,
      lead: email,
      content: html`${card(
        t`Who sees where I sit`,
        form(
          call,
          { action: 'set-visibility', submit: t`Save`, values: await findChoices(call) },
          (fields) =>
            html`${fields.select('visibility', t`Visible to`, { options })}
<p class="soft">${t`The front desk and administrators always see it.`}</p>`,
        ),
        'visibility',
      )}
${card(
  t`Signed in`,
  html`<div class="buttons">${showLink(call.link('/sign-out'), t`Sign out`, { class: 'button quiet' })}
${form(call, { action: 'end-other-sessions', submit: t`Sign out everywhere else`, tone: 'quiet', isInline: true })}</div>`,
  'sessions',
)}`,
    }
  },
})

async function findChoices({ reads, requirePerson }: Call): Promise<{ visibility: Visibility }> {
  const chosen = await findRow<{ visibility: Visibility }>(
    reads,
    'SELECT visibility FROM person_settings WHERE user_id = $1',
    [requirePerson().id],
  )
  return chosen ?? { visibility: 'everybody' }
}
