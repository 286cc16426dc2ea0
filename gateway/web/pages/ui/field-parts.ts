// What the fields of forms have in common, and the sentences about what is wrong with one.
import type { FieldErrors } from '../../../../shared/messages/refusal.ts'
import { attributes, type Html, html } from '../../../html/html.ts'
import { formatMessage } from '../../locales/translate.ts'
import type { RefusedForm } from '../page/page.ts'

export type Value = string | number | null | undefined
export type More = {
  hint?: Html | string
  required?: boolean
  /** When a field that is not always required may stay empty; defaults to “optional”. */
  emptyWhen?: string
  /** What was entered on an earlier page and is not saved yet; shown instead of the value. */
  entered?: Value
}
export type Field = More & { name: string; label: string }

/**
 * What was submitted and refused. For a search only the errors, because the page was requested with its
 * values.
 */
export type Refused = Pick<RefusedForm, 'values' | 'errors'> & { isSearch?: boolean }

/** The API names fields by their paths; the page shows their labels. */
export function errorsOf(
  errors: FieldErrors,
  { name, label }: Field,
  labels: ReadonlyMap<string, string>,
): string[] {
  return Object.entries(errors)
    .filter(([path]) => path === name || path.startsWith(`${name}.`))
    .flatMap(([path, problems]) =>
      problems.map((each) => formatMessage(each, new Map([...labels, [path, label]]))),
    )
}

type Listed = { value: string | number; label: string; group?: string; isAlias?: boolean }

export function showOptions(options: Listed[], chosen: Set<string>): Html[] {
  const show = ({ value, label, isAlias }: Listed) =>
    html`<option${attributes({ value: value === label ? undefined : value, selected: !isAlias && chosen.has(String(value)) })}>${label}</option>`
  const groups = [...new Set(options.map(({ group }) => group))]
  return groups.map((group) => {
    const shown = options.filter((option) => option.group === group).map(show)
    return group === undefined ? html`${shown}` : html`<optgroup label="${group}">${shown}</optgroup>`
  })
}
