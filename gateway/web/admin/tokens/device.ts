// Approves or denies a program that asks for a token by the device flow (gateway/api/rest/tokens/device-flow.ts). Opening the
// page does nothing. Until people can sign in themselves, an administrator approves for them.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { hashUserCode } from '../../../../shared/tokens/devices.ts'
import { type Ability, PERSONAL_DAYS } from '../../../../shared/tokens/token-store.ts'
import { type Html, html } from '../../../html/html.ts'
import { refuseWrongGuess } from '../../../overload/refusals.ts'
import { findRow } from '../../../reads/rows/rows.ts'
import { formatMessage, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import { type ActionCall, type Call, page } from '../../pages/page/page.ts'
import { typedEmail } from '../../pages/page/typed-email.ts'
import { form, searchForm } from '../../pages/ui/forms.ts'
import { card, showFacts } from '../../pages/ui/parts.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { ABILITY_SENTENCES, requirePerson } from './token-pages.ts'

type Device = { clientId: string; name: string | null; abilities: Ability[]; ownEmail: string | null }

const code = () => text({ max: 40 })

export const device = page({
  path: '/device',
  title: sentence`Connect a program`,
  section: 'Integrations',
  query: object({ user_code: code() }),
  actions: (action) => ({
    approve: action(object({ user_code: required(code()), person: required(typedEmail()) }), async (call) => {
      const { user_code, person } = call.form
      const { clientId } = await requireDevice(call, user_code)
      await decide(call, user_code, await requirePerson(call.reads, person))
      return { redirectTo: call.link('/integrations/tokens'), notice: t`${clientId} is connected.` }
    }),
    deny: action(object({ user_code: required(code()) }), async (call) => {
      await decide(call, call.form.user_code, null)
      return { redirectTo: call.link('/integrations/tokens'), notice: t`The program was denied.` }
    }),
  }),
  async show(call) {
    const { user_code } = call.query
    if (!user_code) return askForCode(call)
    const found = await requireDevice(call, user_code)
    return html`<div class="card narrow">
<p>${tHtml`${html`<strong>${found.clientId}</strong>`} asks for a person’s token. Approve it only if that person has just started the program and sees this code there.`}</p>
${showFacts([
  [t`Code`, html`<code>${user_code}</code>`],
  [t`Device`, found.name ?? t`unknown`],
  [t`What it may do`, found.abilities.map((each) => html`<p>${translate(ABILITY_SENTENCES[each])}</p>`)],
  [t`Valid for`, t`${PERSONAL_DAYS} days`],
])}
${form(call, { action: 'approve', submit: t`Approve`, hidden: { user_code } }, (fields) =>
  fields.text('person', t`For a person`, {
    type: 'email',
    value: found.ownEmail ?? '',
    hint: t`The program can view and change only that person’s own data.`,
  }),
)}
${form(call, { action: 'deny', submit: t`Deny`, tone: 'quiet', hidden: { user_code } })}
</div>`
  },
})

const askForCode = (call: Call): Html =>
  card(
    t`Code`,
    searchForm(call, t`Continue`, (fields) =>
      fields.text('user_code', t`Code`, {
        hint: t`The code that the program shows, such as WDJB-MJHT.`,
        autofocus: true,
      }),
    ),
  )

const FIND = `
  SELECT client_id AS "clientId", device_name AS name, abilities,
    (SELECT users.email FROM admins JOIN users ON lower(users.email) = lower(admins.email)
     WHERE admins.id = $2 AND users.deactivated_at IS NULL) AS "ownEmail"
  FROM device_authorizations WHERE user_code_hash = $1 AND decided_at IS NULL AND expires_at > now()`

/** Wrong codes count as wrong guesses of the address, because the codes are short. */
async function requireDevice(call: Call, userCode: string): Promise<Device> {
  const { services, device: browser } = call
  // Reads from the primary, because the program sent its request a moment ago.
  const found = await findRow<Device>(services.primary, FIND, [
    hashUserCode(userCode),
    call.requireAdmin().id,
  ])
  if (found) return found
  const unknown = new Refusal('not_found', message`This code is unknown, has expired, or was used already.`)
  const tooMany = message`Too many wrong codes from this address.`
  const refusal = await refuseWrongGuess(services, browser.address, unknown, tooMany)
  throw new PageFailure(refusal.status, t`Wrong code`, formatMessage(refusal.detail))
}

const decide = (call: ActionCall, userCode: string, userId: number | null) =>
  call.dispatch('devices.decide', { user_code_hash: hashUserCode(userCode).toString('hex'), user_id: userId })
