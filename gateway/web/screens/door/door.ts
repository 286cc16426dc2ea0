// The screen at a door, as frames until tomorrow ends.

import { html } from '../../../html/html.ts'
import { catalogs } from '../../locales/catalogs.ts'
import { t, withLanguage } from '../../locales/translate.ts'
import type { Frame, ScreenContent, ScreenView } from '../screen/views.ts'
import { doorStateAt, momentsOf } from './door-state.ts'
import { type Door, findDoors, findDoorVersions } from './queries.ts'
import { showDoor } from './show-door.ts'

export const door: ScreenView = {
  findVersions: findDoorVersions,
  async findContents(pool, ids, now) {
    const found = await findDoors(pool, ids, now)
    return new Map(found.map(({ version, door }) => [door.id, contentOf(door, version, now)]))
  },
}

const contentOf = (door: Door, version: string, now: string): ScreenContent =>
  withLanguage(door.language, catalogs[door.language], () => ({
    version,
    zone: door.zone,
    name: door.name,
    place: door.place,
    frames: framesOf(door, now),
  }))

function framesOf(door: Door, now: string): Frame[] {
  const frames: Frame[] = []
  for (const from of momentsOf(door, now)) {
    const { text } = showDoor(door, doorStateAt(door, from))
    if (frames.at(-1)?.html !== text) frames.push({ from, html: text })
  }
  const { text } =
    html`<div class="door unknown"><div class="door-now"><p class="door-word">?</p><p class="door-until">${t`This screen has no data about bookings from now on.`}</p></div></div>`
  return [...frames, { from: door.to, html: text }]
}
