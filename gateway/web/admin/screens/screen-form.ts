// The fields of a screen's form, and the screen's secret address, which is shown only once.
import { LANGUAGE_NAMES, LANGUAGES } from '../../../../shared/messages/languages.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import type { ScreenAppearance } from '../../../../shared/screens/screens.ts'
import { deriveToken, hashToken } from '../../../../shared/tokens/token-store.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import type { ActionCall, Call, PageView } from '../../pages/page/page.ts'
import { namedPerson, requireNamedPerson, showNamedPeopleField } from '../../pages/search/named-people.ts'
import { choices, type Fields, oneOfChoices } from '../../pages/ui/fields.ts'
import { showSecretCard } from '../../pages/ui/parts.ts'
import { showQrCode } from '../../pages/ui/qr-code.ts'
import { SCREENS } from '../../sessions/addresses.ts'
import { SHOWN_NAME_CHOICES } from '../calendars/names-choices.ts'
import { SCREENS_PATH } from './screens.ts'

const APPEARANCE_CHOICES = choices<ScreenAppearance>(
  ['light', sentence`Light`],
  ['dark', sentence`Dark`],
  ['e-ink', sentence`Black on white, for e-ink`],
)

export const screenForm = object({
  name: required(text({ max: 255, min: 1 })),
  person: namedPerson(),
  names: required(SHOWN_NAME_CHOICES.rule()),
  appearance: required(APPEARANCE_CHOICES.rule()),
  language: required(oneOfChoices(LANGUAGE_NAMES)),
})

export const showScreenFields = (fields: Fields, isDoor: boolean): Html[] => [
  fields.text('name', t`Name`, { hint: t`A name that only administrators see, such as “Door of Aspen”.` }),
  fields.radios('names', t`What it shows about people`, {
    options: SHOWN_NAME_CHOICES.options(),
    hint: t`People who are not visible to everybody always appear as “Someone”.`,
  }),
  ...(isDoor
    ? [
        showNamedPeopleField(
          fields.text('person', t`Books in the name of`, {
            hint: t`The name or e-mail of the person in whose name the screen makes bookings, such as a person called “Front desk”. Leave empty to allow no bookings at the screen.`,
          }),
        ),
      ]
    : []),
  fields.radios('appearance', t`Appearance`, { options: APPEARANCE_CHOICES.options() }),
  fields.select('language', t`Language`, {
    options: Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
  }),
]

/** Converts the form's values to the input of jobs. */
export async function parseScreenForm(
  call: ActionCall<unknown, unknown, ReturnType<typeof screenForm.validateSync>>,
) {
  const { person, ...fields } = call.form
  return {
    ...fields,
    booking_user_id:
      person === undefined ? null : (await requireNamedPerson(call.reads, person, 'person')).id,
  }
}

export function createScreenAddress(call: ActionCall) {
  const secret = deriveToken(call.deriveSecret('screen'), 'screen')
  return { secret, hash: hashToken(secret).toString('hex') }
}

export function showAddressOnce(call: Call, secret: string, title: string): PageView {
  const address = `${call.baseUrl}${SCREENS}/${secret}`
  const content = showSecretCard({
    id: 'address',
    secret: address,
    done: call.link(SCREENS_PATH),
    before: html`<p>${t`Open this address in the browser of the tablet: scan the code, or type it.`}</p>
<p>${showQrCode(address, t`QR code of the address`)}</p>`,
    warning: t`Anyone with this address can see what the screen shows and, at a door, make bookings. The address cannot be shown again after you leave this page.`,
  })
  return {
    title,
    breadcrumbs: [
      [t`Places`, '/places'],
      [t`Screens`, SCREENS_PATH],
    ],
    content,
  }
}
