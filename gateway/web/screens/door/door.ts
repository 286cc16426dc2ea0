// The view of a screen at a door. It has frames until the end of tomorrow.

import { html } from '../../../html/html.ts'
import { catalogs } from '../../locales/catalogs.ts'
import { t, withLanguage } from '../../locales/translate.ts'
import type { ScreenContent, ScreenFrame, ScreenView } from '../screen/views.ts'
import { computeDoorState, listChangeTimes } from './door-state.ts'
import { type Door, findDoors, findDoorVersions } from './queries.ts'
import { showDoor } from './show-door.ts'

export const door: ScreenView = {
  findVersions: findDoorVersions,
  async findContents(pool, ids, now) {
    const found = await findDoors(pool, ids, now)
    return new Map(found.map(({ version, door }) => [door.id, createContent(door, version, now)]))
  },
}

const createContent = (door: Door, version: string, now: string): ScreenContent =>
  withLanguage(door.language, catalogs[door.language], () => ({
    version,
    zone: door.zone,
    name: door.name,
    place: door.place,
    frames: createFrames(door, now),
  }))

function createFrames(door: Door, now: string): ScreenFrame[] {
  const frames: ScreenFrame[] = []
  for (const from of listChangeTimes(door, now)) {
    const { text } = showDoor(door, computeDoorState(door, from))
    if (frames.at(-1)?.html !== text) frames.push({ from, html: text })
  }
  const { text } =
    html`<div class="door unknown"><div class="door-now"><p class="door-word">?</p><p class="door-until">${t`This screen has no information about later bookings.`}</p></div></div>`
  return [...frames, { from: door.to, html: text }]
}
