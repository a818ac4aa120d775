"""One module per wire format: turns in, provider-native bodies out, and their streams back."""
