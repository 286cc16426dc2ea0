// The view of a screen in a lobby. The view contains only the current state, and later changes arrive through
// the feed. So without a connection, the screen keeps showing its last state until the day ends.
import { html } from '../../../html/html.ts'
import { catalogs } from '../../locales/catalogs.ts'
import { t, withLanguage } from '../../locales/translate.ts'
import type { ScreenContent, ScreenView } from '../screen/views.ts'
import { findLobbies, findLobbyVersions, type LobbyScreen } from './queries.ts'
import { showLobby } from './show-lobby.ts'

export const lobby: ScreenView = {
  findVersions: findLobbyVersions,
  async findContents(pool, ids, now) {
    const found = await findLobbies(pool, ids, now)
    return new Map(found.map((screen) => [screen.id, createContent(screen, now)]))
  },
}

const createContent = (screen: LobbyScreen, now: string): ScreenContent =>
  withLanguage(screen.language, catalogs[screen.language], () => {
    const { building, address, zone, ends } = screen.lobby
    const over = html`<p class="screen-failure">${t`This screen has no information about later bookings.`}</p>`
    return {
      version: screen.version,
      zone,
      name: building,
      place: address,
      frames: [
        { from: now, html: showLobby(screen, now).text },
        { from: ends, html: over.text },
      ],
    }
  })
