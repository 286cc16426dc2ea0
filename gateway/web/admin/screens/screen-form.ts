// The fields of a screen's form, and its secret address, which only one answer shows.
import { LANGUAGE_NAMES, LANGUAGES } from '../../../../shared/messages/languages.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import type { ScreenAppearance } from '../../../../shared/screens/screens.ts'
import { deriveToken, hashToken } from '../../../../shared/tokens/token-store.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import type { ActionCall, Call, View } from '../../pages/page/page.ts'
import { typedEmail } from '../../pages/page/typed-email.ts'
import { choices, type Fields, oneOf } from '../../pages/ui/fields.ts'
import { secretCard } from '../../pages/ui/parts.ts'
import { showQrCode } from '../../pages/ui/qr-code.ts'
import { SCREENS } from '../../sessions/addresses.ts'
import { NAMES } from '../calendars/names-choices.ts'
import { requirePerson } from '../tokens/token-pages.ts'
import { LIST } from './screens.ts'

const APPEARANCES = choices<ScreenAppearance>(
  ['light', sentence`Light`],
  ['dark', sentence`Dark`],
  ['e-ink', sentence`Black on white, for e-ink`],
)

export const screenForm = object({
  name: required(text({ max: 255, min: 1 })),
  person: typedEmail(),
  names: required(NAMES.rule()),
  appearance: required(APPEARANCES.rule()),
  language: required(oneOf(LANGUAGE_NAMES)),
})

export const showScreenFields = (fields: Fields, isDoor: boolean): Html[] => [
  fields.text('name', t`Name`, { hint: t`Only administrators see it, such as “Door of Aspen”.` }),
  fields.radios('names', t`What it shows about people`, {
    options: NAMES.options(),
    hint: t`People who are not visible to everybody always appear as “Someone”.`,
  }),
  ...(isDoor
    ? [
        fields.text('person', t`Books in the name of`, {
          type: 'email',
          hint: t`The e-mail of a person, such as “Front desk”. Bookings made at the screen are in their name. Leave empty to allow no bookings at the screen.`,
        }),
      ]
    : []),
  fields.radios('appearance', t`Appearance`, { options: APPEARANCES.options() }),
  fields.select('language', t`Language`, {
    options: Object.entries(LANGUAGES).map(([value, label]) => ({ value, label })),
  }),
]

/** Converts the form's values to job input. */
export async function parseScreenForm(
  call: ActionCall<unknown, unknown, ReturnType<typeof screenForm.validateSync>>,
) {
  const { person, ...fields } = call.form
  return {
    ...fields,
    booking_user_id: person === undefined ? null : await requirePerson(call.reads, person),
  }
}

export function createAddress(call: ActionCall) {
  const secret = deriveToken(call.deriveSecret('screen'), 'screen')
  return { secret, hash: hashToken(secret).toString('hex') }
}

export function addressView(call: Call, secret: string, title: string): View {
  const address = `${call.baseUrl}${SCREENS}/${secret}`
  const content = secretCard({
    id: 'address',
    secret: address,
    done: call.link(LIST),
    before: html`<p>${t`Open this address in the browser of the tablet: scan the code, or type it.`}</p>
<p>${showQrCode(address, t`QR code of the address`)}</p>`,
    warning: t`Anyone with this address can see what the screen shows and, at a door, book there. It cannot be shown again after you leave this page.`,
  })
  return {
    title,
    breadcrumbs: [
      [t`Places`, '/places'],
      [t`Screens`, LIST],
    ],
    content,
  }
}
