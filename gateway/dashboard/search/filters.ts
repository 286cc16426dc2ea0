// The fields that several searches and forms have, and choosing people by search: a form that changes only the page's
// address, and the people found, each with a link that chooses them. Works without scripts.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { Call } from '../kit/page.ts'
import { t } from '../locales/translate.ts'
import { TYPE_OPTIONS } from '../ui/bookables.ts'
import type { Fields, Option } from '../ui/fields.ts'
import { searchForm } from '../ui/forms.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import { type BookableChoice, CHOICES_MAX, searchUsers, type UserChoice } from './choices.ts'

type Named = { id: number; name: string }

export const optionsOf = (things: readonly Named[]): Option[] =>
  things.map(({ id, name }) => ({ value: id, label: name }))

// Home offices are never full, and come last.
export const EXCLUSIVE_TYPES = TYPE_OPTIONS.slice(0, -1)

export const buildingFilter = (fields: Fields, buildings: readonly Named[], any = t`Any`) =>
  fields.select('building', t`Building`, { any, options: optionsOf(buildings) })

export const floorFilter = (fields: Fields, floors: readonly Named[]) =>
  fields.select('location', t`Floor`, { any: t`Any`, options: optionsOf(floors) })

export const typeFilter = (fields: Fields, options = TYPE_OPTIONS) =>
  fields.select('type', t`Type`, { any: t`Any`, options })

export const tagsFilter = (fields: Fields) =>
  fields.text('tags', t`Tags`, { placeholder: t`window, quiet`, maxlength: 1_000 })

type Choosing = Call<unknown, { person?: string | undefined }>

type Chooser = {
  label: string
  hint?: string
  linkText?: string
  /** The address that chooses the person; undefined if they are already chosen. */
  addressOf?(choice: UserChoice): string | undefined
}

/** Finds people by the words in the address. Links to this page with the chosen `user`, unless told otherwise. */
export async function userChooser(call: Choosing, { label, hint, ...links }: Chooser): Promise<Html> {
  const { person } = call.query
  const {
    linkText = t`Choose`,
    addressOf = ({ id }: UserChoice) => call.linkHere({ user: id, person: null }),
  } = links
  const columns: Column<UserChoice>[] = [
    { label: t`Name`, isHead: true, show: ({ name }) => name },
    { label: t`E-mail`, show: ({ email }) => email },
    {
      label: t`Choose`,
      isTools: true,
      show(choice) {
        const address = addressOf(choice)
        if (address === undefined) return html`<span class="soft">${t`chosen`}</span>`
        return showLink(address, linkText, { 'aria-label': `${linkText} ${choice.name}` })
      },
    },
  ]
  const box = searchForm(call, t`Search`, (fields) =>
    fields.search('person', label, { hint, required: true }),
  )
  if (person === undefined) return box
  const found = await searchUsers(call.reads, person)
  return html`${box}<div class="found">${table(t`Results`, columns, found.slice(0, CHOICES_MAX), t`No active people found.`)}
${found.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</div>`
}

/** The person that the address names, with a link to choose another one. */
export const showChosenUser = (call: Call, { id, name, email }: UserChoice) =>
  html`<p class="chosen"><span>${showLinkOrText(call.link(`/people/${id}`), name)} <span class="soft">${email}</span></span>
${showLink(call.linkHere({ user: null }), t`Choose another person`)}</p>`

export function showExceptionalStatus({
  status,
  isDeleted,
}: Pick<BookableChoice, 'status' | 'isDeleted'>): Content {
  if (isDeleted) return html`<span class="badge bad">${t`deleted`}</span>`
  if (status === BOOKABLE_STATUSES.blocked) return html`<span class="badge warn">${t`blocked`}</span>`
  return status === BOOKABLE_STATUSES.assigned && html`<span class="badge accent">${t`assigned`}</span>`
}
