// The fields of a new or existing user, and the conversion of their values to job input.

import { type InputOf, jobs } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid } from '../../../shared/messages/refusal.ts'
import { integer, object, queryNumber, text, verbatim } from '../../../shared/schemas/fields.ts'
import { attributes, type Content, html } from '../../http/html.ts'
import { check } from '../../http/middleware/validate.ts'
import { t } from '../locales/translate.ts'
import type { Fields } from '../ui/fields.ts'
import type { User } from './queries.ts'

const ATTRIBUTES = Array.from({ length: 99 }, (_, index) => `extensionAttribute${index + 1}`)

const LINES_MAX = 100_000
const lines = () => verbatim({ max: LINES_MAX })

// The job checks these against its own rules; the form only splits them into fields.
export const userForm = object({
  name: text({ max: 1_000 }),
  email: text({ max: 1_000 }),
  upn: text({ max: 1_000 }),
  groups: lines(),
  license_plates: lines(),
  ...Object.fromEntries(ATTRIBUTES.map((name) => [name, text({ max: 2_000 })])),
  new_attribute: queryNumber(integer({ min: 1, max: ATTRIBUTES.length })),
  new_value: text({ max: 2_000 }),
})

type Form = {
  name?: string | undefined
  email?: string | undefined
  upn?: string | undefined
  groups?: string | undefined
  license_plates?: string | undefined
  new_attribute?: number | undefined
  new_value?: string | undefined
}
type UserInput = InputOf<'users.create'>

/** Throws the rules that the input breaks, under the names of the form's fields. */
export function parseUser(form: Form, now: string): UserInput {
  const found: FieldErrors = {}
  const input = {
    name: form.name,
    email: form.email,
    upn: form.upn ?? null,
    groups: parseLines(form.groups),
    license_plates: parseLines(form.license_plates),
    extension_attributes: parseAttributes(form),
  }
  const about = { part: 'body', context: { now } } as const
  const user = check(jobs['users.create'].input, input, found, about) as UserInput
  if (form.new_attribute !== undefined && !form.new_value)
    found.new_value = [message`Enter a value, or choose no attribute.`]
  if (form.new_attribute === undefined && form.new_value)
    found.new_attribute = [message`Choose an attribute for this value.`]
  if (Object.keys(found).length === 0) return user
  throw invalid(
    Object.fromEntries(
      Object.entries(found).map(([path, problems]) => [
        path.replace(/^extension_attributes\./, ''),
        problems,
      ]),
    ),
  )
}

function parseLines(typed: string | undefined): string[] {
  const found = (typed ?? '').split(/[\r\n]+/).map((line) => line.trim())
  return [...new Set(found.filter((line) => line !== ''))]
}

function parseAttributes(form: Form): Record<string, string> {
  const typed = form as Record<string, string | undefined>
  const given = ATTRIBUTES.flatMap((name): Array<[string, string]> => {
    const value = typed[name]
    // Browsers send line ends as CRLF.
    return value ? [[name, value.replace(/\r\n/g, '\n')]] : []
  })
  const added: Array<[string, string]> =
    form.new_attribute !== undefined && form.new_value
      ? [[`extensionAttribute${form.new_attribute}`, form.new_value]]
      : []
  return Object.fromEntries([...given, ...added])
}

/** `used`: the attributes that any user has. This user's own attributes always show. */
export function userFields(
  fields: Fields,
  user: Partial<Pick<User, 'name' | 'email' | 'upn' | 'groups' | 'vehicles' | 'attributes'>>,
  used: readonly string[],
): Content {
  const { attributes: values = {}, vehicles = [], groups = [] } = user
  const shown = ATTRIBUTES.filter((name) => name in values || used.includes(name))
  const others = ATTRIBUTES.filter((name) => !shown.includes(name))
  return [
    fields.text({ name: 'name', label: t`Name`, value: user.name, required: true, maxlength: 255 }),
    fields.text({
      name: 'email',
      label: t`E-mail`,
      type: 'email',
      value: user.email,
      required: true,
      maxlength: 255,
    }),
    fields.text({
      name: 'upn',
      label: t`UPN`,
      value: user.upn,
      maxlength: 255,
      hint: t`User principal name in your directory.`,
    }),
    fields.area({
      name: 'groups',
      label: t`Groups`,
      value: groups.join('\n'),
      rows: Math.max(3, groups.length + 1),
      hint: t`One per line. Groups that do not exist yet are created.`,
    }),
    fields.area({
      name: 'license_plates',
      label: t`License plates`,
      value: vehicles.map(({ license_plate }) => license_plate).join('\n'),
      rows: Math.max(2, vehicles.length + 1),
      hint: t`One per line. A vehicle keeps its ID as long as its plate does not change.`,
    }),
    shown.map((name) => {
      const value = values[name]
      return value?.includes('\n')
        ? fields.area({ name, label: name, value, rows: 3 })
        : fields.text({ name, label: name, value, maxlength: 1024 })
    }),
    html`<details class="more"${attributes({ open: fields.isFilled('new_attribute', 'new_value') })}><summary>${t`Add an attribute`}</summary>
${fields.select({
  name: 'new_attribute',
  label: t`Attribute`,
  options: [
    { value: '', label: t`None` },
    ...others.map((name) => ({ value: name.replace(/\D/g, ''), label: name })),
  ],
  value: '',
})}
${fields.text({ name: 'new_value', label: t`Value`, maxlength: 1024 })}</details>`,
  ]
}
