// The instructions for the load, and its record of each request: one line of JSON.
export type Work = {
  url: string
  token: string
  /** What each client books, slot after slot. */
  clients: Array<{ bookable_id: number; location_id: number; user_id: number }>
  /** The first slot. */
  startMs: number
  /** Where the lines go. */
  file: string
}

export type Recorded = {
  method: 'GET' | 'POST'
  sentMs: number
  tookMs: number
  /** 0 where no answer came. */
  status: number
  /** The body, or why there is none. */
  text: string
}
