// The keys of entries that Berth writes. A provider creates at most one entry with the same key, and returns it with the
// entry. A key names what the entry is in Berth, so that a calendar that is linked again is understood.

export type EntryKey = {
  /** The id of the database (table `identity`). */
  identity: string
  /** A `meeting` is an event whose entry is in the calendar of its organizer. */
  kind: 'event' | 'booking' | 'meeting'
  id: number
  /** Set if `kind` is `meeting`: the rooms of a meeting may be at two providers, which each have an entry of it. */
  provider?: string
  /** The id of the room, or of the organizer if `kind` is `meeting`. */
  ownerId: number
  /** Set if somebody deleted the entries with lower numbers: providers do not forget their keys. The first is 1. */
  number?: number
}

export const createEntryKey = ({ identity, kind, provider, id, ownerId, number = 1 }: EntryKey): string =>
  `berth-${identity}-${kind}-${provider ? `${provider}-` : ''}${id}-${ownerId}${number > 1 ? `-${number}` : ''}`

const KEY_PATTERN =
  /^berth-(?<identity>.+)-(?<kind>event|booking|meeting)-(?:(?<provider>microsoft|google)-)?(?<id>\d{1,15})-(?<owner>\d{1,15})(?:-(?<number>\d{1,6}))?$/

/** Undefined if the key is not one of Berth's. */
export function parseEntryKey(key: string): EntryKey | undefined {
  const { identity, kind, provider, id, owner, number = '1' } = KEY_PATTERN.exec(key)?.groups ?? {}
  if (identity === undefined || (kind !== 'event' && kind !== 'booking' && kind !== 'meeting'))
    return undefined
  const ids = { id: Number(id), ownerId: Number(owner), number: Number(number) }
  return { identity, kind, ...(provider && { provider }), ...ids }
}
