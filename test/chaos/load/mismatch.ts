// Finds errors of an answer: it must belong to the write that it answers.
type Named = Record<string, unknown>
type Mismatch = (data: unknown) => string | undefined

export function sameBooking(asked: {
  id?: number
  bookable_id?: number
  from_time?: string
  to_time?: string
}): Mismatch {
  return (data) => {
    const { id, from, to, bookable } = (Array.isArray(data) ? data[0] : data) as Named
    return firstDifference([
      ['id', asked.id, id],
      ['bookable', asked.bookable_id, (bookable as Named | undefined)?.id],
      ['from', asked.from_time && Date.parse(asked.from_time), Date.parse(String(from))],
      ['to', asked.to_time && Date.parse(asked.to_time), Date.parse(String(to))],
    ])
  }
}

export function sameEvent(asked: { id?: number; name: string; rooms: number[] }): Mismatch {
  return (data) => {
    const { id, name, bookables } = data as Named & { bookables: Array<{ id: number }> }
    return firstDifference([
      ['id', asked.id, id],
      ['name', asked.name, name],
      [
        'rooms',
        asked.rooms.toSorted().join(),
        bookables
          .map((room) => room.id)
          .toSorted()
          .join(),
      ],
    ])
  }
}

export function sameBookable(asked: { id: number; tag: string; status: number }): Mismatch {
  return (data) => {
    const { id, tags, status } = data as Named
    return firstDifference([
      ['id', asked.id, id],
      ['tags', asked.tag, String(tags)],
      ['status', asked.status, status],
    ])
  }
}

export function sameImport(asked: { filename: string; created: number }): Mismatch {
  return (data) => {
    const { filename, created, updated, errors } = data as Record<string, unknown[]>
    return firstDifference([
      ['filename', asked.filename, filename],
      ['created', asked.created, created?.length],
      ['updated', 1, updated?.length],
      ['errors', 0, errors?.length],
    ])
  }
}

function firstDifference(
  pairs: Array<[what: string, asked: unknown, answered: unknown]>,
): string | undefined {
  for (const [what, asked, answered] of pairs)
    if (asked !== undefined && asked !== answered) return `${what} is ${answered}, not ${asked}`
  return undefined
}
