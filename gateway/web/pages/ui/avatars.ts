// Shows people as circles with their initials, in a colour that stays the same for each person.
import { formatAttributes, type Html, html } from '../../../html/html.ts'

type ShownPerson = {
  /** Guests have no id: their name decides the colour. */
  id?: number | null
  name: string
}

/** The number of colours in tokens.css: `hue-0`, `hue-1` and so on. */
export const HUE_COUNT = 8

/** Returns “AL” for Ada Lovelace: the initials of the first and the last word. */
export function formatInitials(name: string): string {
  const words = name.split(/[\s.@_-]+/u).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen.map((word) => [...(word ?? '')][0]?.toLocaleUpperCase('en') ?? '').join('')
}

/** Returns the class of a person's colour, for an avatar or for a mark on the map. */
export function chooseHue({ id, name }: ShownPerson): string {
  const number = id ?? [...name].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0)
  return `hue-${number % HUE_COUNT}`
}

/**
 * Shows the avatar of a person: the initials, over which the page lays the person's picture (page/person-pictures.ts).
 * Screen readers skip the avatar, because the person's name stands beside it. Set `isAlone` for an avatar without a
 * name beside it, so that screen readers and a tooltip name the person.
 */
export function showAvatar(person: ShownPerson, { isAlone = false, isLarge = false } = {}): Html {
  const label = isAlone
    ? { role: 'img', 'aria-label': person.name, title: person.name }
    : { 'aria-hidden': 'true' }
  return html`<span${formatAttributes({ class: `avatar ${chooseHue(person)}${isLarge ? ' large' : ''}`, 'data-person': person.id, ...label })}>${formatInitials(person.name)}</span>`
}

/** Shows avatars that overlap, and how many more people there are. */
export function showAvatars(people: ShownPerson[], shownMax: number): Html {
  const more = people.length - shownMax
  return html`<span class="avatars">${people.slice(0, shownMax).map((each) => showAvatar(each, { isAlone: true }))}${more > 0 && html`<span class="avatar">+${more}</span>`}</span>`
}
