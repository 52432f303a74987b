/** The states of a payment, from first to last. */
export const paymentStates = ['intended', 'paying', 'unknown', 'paid', 'refused'] as const;

/** The states of a report to the service, from first to last. */
export const reportStates = ['pending', 'sent', 'confirmed', 'conflict'] as const;
