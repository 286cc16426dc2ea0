// Defines the instructions for the load, and the format of its records: a line of JSON for each request.
export type LoadInstructions = {
  url: string
  token: string
  /** The bookable and user of each client, which books one slot after the other. */
  clients: Array<{ bookable_id: number; location_id: number; user_id: number }>
  /** The start of the first slot. */
  startMs: number
  /** The file for the recorded lines. */
  file: string
}

export type RecordedRequest = {
  method: 'GET' | 'POST'
  sentMs: number
  tookMs: number
  /** 0 if no answer arrived. */
  status: number
  /** The body, or the error if there is none. */
  text: string
}
