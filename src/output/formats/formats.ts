/** The ways to write records, as `-o` takes them. */
export const outputFormats = ['table', 'ndjson', 'json', 'csv', 'ids', 'count', 'none'] as const;
export type OutputFormat = (typeof outputFormats)[number];
