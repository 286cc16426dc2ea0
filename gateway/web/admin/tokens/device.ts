// Approves or denies a program that asks for a token by the device flow
// (gateway/api/rest/tokens/device-flow.ts). Opening the page has no effect. An administrator approves on
// behalf of people who cannot sign in themselves.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { hashUserCode } from '../../../../shared/tokens/devices.ts'
import { type Ability, PERSONAL_DAYS_DEFAULT } from '../../../../shared/tokens/token-store.ts'
import { type Html, html } from '../../../html/html.ts'
import { limitWrongGuesses } from '../../../overload/refusals.ts'
import { findRow } from '../../../reads/rows/rows.ts'
import { formatMessage, sentence, t, tHtml, translate } from '../../locales/translate.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { namedPerson, requireNamedPerson, showNamedPeopleField } from '../../pages/search/named-people.ts'
import { form, showSearchForm } from '../../pages/ui/forms.ts'
import { showCard, showFactList } from '../../pages/ui/parts.ts'
import { PageFailure } from '../../sessions/failure.ts'
import { ABILITY_SENTENCES } from './token-pages.ts'

type DeviceRequest = { clientId: string; name: string | null; abilities: Ability[]; ownEmail: string | null }

const codeSchema = () => text({ max: 40 })

export const connectProgramPage = definePage({
  path: '/device',
  title: sentence`Connect a program`,
  section: 'Integrations',
  query: object({ user_code: codeSchema() }),
  actions: (action) => ({
    approve: action(
      object({ user_code: required(codeSchema()), person: required(namedPerson()) }),
      async (call) => {
        const { user_code, person } = call.form
        const { clientId } = await requireDevice(call, user_code)
        await decideRequest(call, user_code, (await requireNamedPerson(call.reads, person, 'person')).id)
        return { redirectTo: call.link('/integrations/tokens'), notice: t`${clientId} is connected.` }
      },
    ),
    deny: action(object({ user_code: required(codeSchema()) }), async (call) => {
      await decideRequest(call, call.form.user_code, null)
      return { redirectTo: call.link('/integrations/tokens'), notice: t`The program was denied access.` }
    }),
  }),
  async show(call) {
    const { user_code } = call.query
    if (!user_code) return showCodeForm(call)
    const found = await requireDevice(call, user_code)
    return html`<div class="card narrow">
<p>${tHtml`${html`<strong>${found.clientId}</strong>`} is requesting a personal token. Approve it only if that person has just started the program and sees this code there.`}</p>
${showFactList([
  [t`Code`, html`<code>${user_code}</code>`],
  [t`Device`, found.name ?? t`unknown`],
  [
    t`Permissions of the token`,
    found.abilities.map((each) => html`<p>${translate(ABILITY_SENTENCES[each])}</p>`),
  ],
  [t`Valid for`, t`${PERSONAL_DAYS_DEFAULT} days`],
])}
${form(call, { action: 'approve', submit: t`Approve`, hidden: { user_code } }, (fields) =>
  showNamedPeopleField(
    fields.text('person', t`For a person`, {
      value: found.ownEmail ?? '',
      hint: t`The program can view and change only that person’s own data.`,
    }),
  ),
)}
${form(call, { action: 'deny', submit: t`Deny`, tone: 'quiet', hidden: { user_code } })}
</div>`
  },
})

const showCodeForm = (call: Call): Html =>
  showCard(
    t`Code`,
    showSearchForm(call, t`Continue`, (fields) =>
      fields.text('user_code', t`Code`, {
        hint: t`The code that the program shows, such as WDJB-MJHT.`,
        autofocus: true,
      }),
    ),
  )

const FIND_DEVICE_REQUEST = `
  SELECT client_id AS "clientId", device_name AS name, abilities,
    (SELECT users.email FROM admins JOIN users ON lower(users.email) = lower(admins.email)
     WHERE admins.id = $2 AND users.deactivated_at IS NULL) AS "ownEmail"
  FROM device_authorizations WHERE user_code_hash = $1 AND decided_at IS NULL AND expires_at > now()`

/** Finds the request with this code. A wrong code counts as a wrong guess from the caller's address, because
 * codes are short. */
async function requireDevice(call: Call, userCode: string): Promise<DeviceRequest> {
  const { services, device: browser } = call
  // Reads from the primary, because the program sent its request a moment ago.
  const found = await findRow<DeviceRequest>(services.primary, FIND_DEVICE_REQUEST, [
    hashUserCode(userCode),
    call.requireAdmin().id,
  ])
  if (found) return found
  const unknown = new Refusal(
    'not_found',
    message`This code is unknown, has expired, or has already been used.`,
  )
  const tooMany = message`Too many wrong codes from this address.`
  const refusal = await limitWrongGuesses(services, browser.address, unknown, tooMany)
  throw new PageFailure(refusal.status, t`Wrong code`, formatMessage(refusal.detail))
}

const decideRequest = (call: ActionCall, userCode: string, userId: number | null) =>
  call.dispatch('devices.decide', { user_code_hash: hashUserCode(userCode).toString('hex'), user_id: userId })
