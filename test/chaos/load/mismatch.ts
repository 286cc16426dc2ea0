// Finds differences between a write and the row in its answer.
type NamedValues = Record<string, unknown>
type FindMismatch = (data: unknown) => string | undefined

export function findBookingMismatch(asked: {
  id?: number
  bookable_id?: number
  from_time?: string
  to_time?: string
}): FindMismatch {
  return (data) => {
    const { id, from, to, bookable } = (Array.isArray(data) ? data[0] : data) as NamedValues
    return findFirstDifference([
      ['id', asked.id, id],
      ['bookable', asked.bookable_id, (bookable as NamedValues | undefined)?.id],
      ['from', asked.from_time && Date.parse(asked.from_time), Date.parse(String(from))],
      ['to', asked.to_time && Date.parse(asked.to_time), Date.parse(String(to))],
    ])
  }
}

export function findEventMismatch(asked: { id?: number; name: string; rooms: number[] }): FindMismatch {
  return (data) => {
    const { id, name, bookables } = data as NamedValues & { bookables: Array<{ id: number }> }
    return findFirstDifference([
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

export function findAnswerMismatch(asked: { id: number; status: number }): FindMismatch {
  return (data) => {
    const { id, status } = data as NamedValues
    return findFirstDifference([
      ['id', asked.id, id],
      ['status', asked.status, status],
    ])
  }
}

export function findBookableMismatch(asked: { id: number; tag: string; status: number }): FindMismatch {
  return (data) => {
    const { id, tags, status } = data as NamedValues
    return findFirstDifference([
      ['id', asked.id, id],
      ['tags', asked.tag, String(tags)],
      ['status', asked.status, status],
    ])
  }
}

export function findImportMismatch(asked: { filename: string; created: number }): FindMismatch {
  return (data) => {
    const { filename, created, updated, errors } = data as Record<string, unknown[]>
    return findFirstDifference([
      ['filename', asked.filename, filename],
      ['created', asked.created, created?.length],
      ['updated', 1, updated?.length],
      ['errors', 0, errors?.length],
    ])
  }
}

function findFirstDifference(
  pairs: Array<[what: string, asked: unknown, answered: unknown]>,
): string | undefined {
  for (const [what, asked, answered] of pairs)
    if (asked !== undefined && asked !== answered) return `${what} is ${answered}, not ${asked}`
  return undefined
}
