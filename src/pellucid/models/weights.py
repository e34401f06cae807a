"""Reading weights: safetensors only, every tensor accounted for, nothing made up."""
